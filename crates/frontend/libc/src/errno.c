/* errno and its texts.
 * direction: exact */
#define _GNU_SOURCE
#include "libc.h"
#include <locale.h>
#include <string.h>

static _Thread_local int current_errno;

int *__errno_location(void) { return &current_errno; }

unsigned char __blitz_locales[13];
_Bool __blitz_rounds_otherwise;

void __blitz_text_is_rounded(void) {
  if (!__blitz_rounds_otherwise)
    return;
  if (!__blitz_model)
    __blitz_unsupported("text of floating-point numbers in a rounding mode other than to nearest");
  __blitz_fewer("text of floating-point numbers: a rounding mode other than to nearest");
  __blitz_more("text of floating-point numbers: a rounding mode other than to nearest");
}

/* Indexed by the number of Linux on x86. */
static const char *const texts[] = {
    [0] = "Success",
    [1] = "Operation not permitted",
    [2] = "No such file or directory",
    [3] = "No such process",
    [4] = "Interrupted system call",
    [5] = "Input/output error",
    [6] = "No such device or address",
    [7] = "Argument list too long",
    [8] = "Exec format error",
    [9] = "Bad file descriptor",
    [10] = "No child processes",
    [11] = "Resource temporarily unavailable",
    [12] = "Cannot allocate memory",
    [13] = "Permission denied",
    [14] = "Bad address",
    [15] = "Block device required",
    [16] = "Device or resource busy",
    [17] = "File exists",
    [18] = "Invalid cross-device link",
    [19] = "No such device",
    [20] = "Not a directory",
    [21] = "Is a directory",
    [22] = "Invalid argument",
    [23] = "Too many open files in system",
    [24] = "Too many open files",
    [25] = "Inappropriate ioctl for device",
    [26] = "Text file busy",
    [27] = "File too large",
    [28] = "No space left on device",
    [29] = "Illegal seek",
    [30] = "Read-only file system",
    [31] = "Too many links",
    [32] = "Broken pipe",
    [33] = "Numerical argument out of domain",
    [34] = "Numerical result out of range",
    [35] = "Resource deadlock avoided",
    [36] = "File name too long",
    [37] = "No locks available",
    [38] = "Function not implemented",
    [39] = "Directory not empty",
    [40] = "Too many levels of symbolic links",

    [42] = "No message of desired type",
    [43] = "Identifier removed",
    [44] = "Channel number out of range",
    [45] = "Level 2 not synchronized",
    [46] = "Level 3 halted",
    [47] = "Level 3 reset",
    [48] = "Link number out of range",
    [49] = "Protocol driver not attached",
    [50] = "No CSI structure available",
    [51] = "Level 2 halted",
    [52] = "Invalid exchange",
    [53] = "Invalid request descriptor",
    [54] = "Exchange full",
    [55] = "No anode",
    [56] = "Invalid request code",
    [57] = "Invalid slot",

    [59] = "Bad font file format",
    [60] = "Device not a stream",
    [61] = "No data available",
    [62] = "Timer expired",
    [63] = "Out of streams resources",
    [64] = "Machine is not on the network",
    [65] = "Package not installed",
    [66] = "Object is remote",
    [67] = "Link has been severed",
    [68] = "Advertise error",
    [69] = "Srmount error",
    [70] = "Communication error on send",
    [71] = "Protocol error",
    [72] = "Multihop attempted",
    [73] = "RFS specific error",
    [74] = "Bad message",
    [75] = "Value too large for defined data type",
    [76] = "Name not unique on network",
    [77] = "File descriptor in bad state",
    [78] = "Remote address changed",
    [79] = "Can not access a needed shared library",
    [80] = "Accessing a corrupted shared library",
    [81] = ".lib section in a.out corrupted",
    [82] = "Attempting to link in too many shared libraries",
    [83] = "Cannot exec a shared library directly",
    [84] = "Invalid or incomplete multibyte or wide character",
    [85] = "Interrupted system call should be restarted",
    [86] = "Streams pipe error",
    [87] = "Too many users",
    [88] = "Socket operation on non-socket",
    [89] = "Destination address required",
    [90] = "Message too long",
    [91] = "Protocol wrong type for socket",
    [92] = "Protocol not available",
    [93] = "Protocol not supported",
    [94] = "Socket type not supported",
    [95] = "Operation not supported",
    [96] = "Protocol family not supported",
    [97] = "Address family not supported by protocol",
    [98] = "Address already in use",
    [99] = "Cannot assign requested address",
    [100] = "Network is down",
    [101] = "Network is unreachable",
    [102] = "Network dropped connection on reset",
    [103] = "Software caused connection abort",
    [104] = "Connection reset by peer",
    [105] = "No buffer space available",
    [106] = "Transport endpoint is already connected",
    [107] = "Transport endpoint is not connected",
    [108] = "Cannot send after transport endpoint shutdown",
    [109] = "Too many references: cannot splice",
    [110] = "Connection timed out",
    [111] = "Connection refused",
    [112] = "Host is down",
    [113] = "No route to host",
    [114] = "Operation already in progress",
    [115] = "Operation now in progress",
    [116] = "Stale file handle",
    [117] = "Structure needs cleaning",
    [118] = "Not a XENIX named type file",
    [119] = "No XENIX semaphores available",
    [120] = "Is a named type file",
    [121] = "Remote I/O error",
    [122] = "Disk quota exceeded",
    [123] = "No medium found",
    [124] = "Wrong medium type",
    [125] = "Operation canceled",
    [126] = "Required key not available",
    [127] = "Key has expired",
    [128] = "Key has been revoked",
    [129] = "Key was rejected by service",
    [130] = "Owner died",
    [131] = "State not recoverable",
    [132] = "Operation not possible due to RF-kill",
    [133] = "Memory page has hardware error",
};
static const char *const names[] = {
    [1] = "EPERM",
    [2] = "ENOENT",
    [3] = "ESRCH",
    [4] = "EINTR",
    [5] = "EIO",
    [6] = "ENXIO",
    [7] = "E2BIG",
    [8] = "ENOEXEC",
    [9] = "EBADF",
    [10] = "ECHILD",
    [11] = "EAGAIN",
    [12] = "ENOMEM",
    [13] = "EACCES",
    [14] = "EFAULT",
    [15] = "ENOTBLK",
    [16] = "EBUSY",
    [17] = "EEXIST",
    [18] = "EXDEV",
    [19] = "ENODEV",
    [20] = "ENOTDIR",
    [21] = "EISDIR",
    [22] = "EINVAL",
    [23] = "ENFILE",
    [24] = "EMFILE",
    [25] = "ENOTTY",
    [26] = "ETXTBSY",
    [27] = "EFBIG",
    [28] = "ENOSPC",
    [29] = "ESPIPE",
    [30] = "EROFS",
    [31] = "EMLINK",
    [32] = "EPIPE",
    [33] = "EDOM",
    [34] = "ERANGE",
    [35] = "EDEADLOCK",
    [36] = "ENAMETOOLONG",
    [37] = "ENOLCK",
    [38] = "ENOSYS",
    [39] = "ENOTEMPTY",
    [40] = "ELOOP",
    [42] = "ENOMSG",
    [43] = "EIDRM",
    [44] = "ECHRNG",
    [45] = "EL2NSYNC",
    [46] = "EL3HLT",
    [47] = "EL3RST",
    [48] = "ELNRNG",
    [49] = "EUNATCH",
    [50] = "ENOCSI",
    [51] = "EL2HLT",
    [52] = "EBADE",
    [53] = "EBADR",
    [54] = "EXFULL",
    [55] = "ENOANO",
    [56] = "EBADRQC",
    [57] = "EBADSLT",
    [59] = "EBFONT",
    [60] = "ENOSTR",
    [61] = "ENODATA",
    [62] = "ETIME",
    [63] = "ENOSR",
    [64] = "ENONET",
    [65] = "ENOPKG",
    [66] = "EREMOTE",
    [67] = "ENOLINK",
    [68] = "EADV",
    [69] = "ESRMNT",
    [70] = "ECOMM",
    [71] = "EPROTO",
    [72] = "EMULTIHOP",
    [73] = "EDOTDOT",
    [74] = "EBADMSG",
    [75] = "EOVERFLOW",
    [76] = "ENOTUNIQ",
    [77] = "EBADFD",
    [78] = "EREMCHG",
    [79] = "ELIBACC",
    [80] = "ELIBBAD",
    [81] = "ELIBSCN",
    [82] = "ELIBMAX",
    [83] = "ELIBEXEC",
    [84] = "EILSEQ",
    [85] = "ERESTART",
    [86] = "ESTRPIPE",
    [87] = "EUSERS",
    [88] = "ENOTSOCK",
    [89] = "EDESTADDRREQ",
    [90] = "EMSGSIZE",
    [91] = "EPROTOTYPE",
    [92] = "ENOPROTOOPT",
    [93] = "EPROTONOSUPPORT",
    [94] = "ESOCKTNOSUPPORT",
    [95] = "ENOTSUP",
    [96] = "EPFNOSUPPORT",
    [97] = "EAFNOSUPPORT",
    [98] = "EADDRINUSE",
    [99] = "EADDRNOTAVAIL",
    [100] = "ENETDOWN",
    [101] = "ENETUNREACH",
    [102] = "ENETRESET",
    [103] = "ECONNABORTED",
    [104] = "ECONNRESET",
    [105] = "ENOBUFS",
    [106] = "EISCONN",
    [107] = "ENOTCONN",
    [108] = "ESHUTDOWN",
    [109] = "ETOOMANYREFS",
    [110] = "ETIMEDOUT",
    [111] = "ECONNREFUSED",
    [112] = "EHOSTDOWN",
    [113] = "EHOSTUNREACH",
    [114] = "EALREADY",
    [115] = "EINPROGRESS",
    [116] = "ESTALE",
    [117] = "EUCLEAN",
    [118] = "ENOTNAM",
    [119] = "ENAVAIL",
    [120] = "EISNAM",
    [121] = "EREMOTEIO",
    [122] = "EDQUOT",
    [123] = "ENOMEDIUM",
    [124] = "EMEDIUMTYPE",
    [125] = "ECANCELED",
    [126] = "ENOKEY",
    [127] = "EKEYEXPIRED",
    [128] = "EKEYREVOKED",
    [129] = "EKEYREJECTED",
    [130] = "EOWNERDEAD",
    [131] = "ENOTRECOVERABLE",
    [132] = "ERFKILL",
};
enum { COUNT = sizeof texts / sizeof texts[0], NAMES = sizeof names / sizeof names[0] };

/* A message in another language. direction: more, any text of up to 255 bytes */
static char *translated(void) {
  static char text[256];
  __blitz_more("strerror: a message in another language is any text");
  __blitz_input_bytes(text, sizeof text - 1, "(guess) message");
  text[sizeof text - 1] = 0;
  return text;
}

char *strerror(int code) {
  static char unknown[40];
  if (__blitz_locales[LC_MESSAGES] != LOCALE_C && __blitz_model)
    return translated();
  if (code >= 0 && code < COUNT && texts[code] != NULL)
    return (char *)texts[code];
  snprintf(unknown, sizeof unknown, "Unknown error %d", code);
  return unknown;
}

char *strerror_l(int code, locale_t locale) { return strerror(code); }
const char *strerrordesc_np(int code) { return code >= 0 && code < COUNT ? texts[code] : NULL; }
const char *strerrorname_np(int code) { return code >= 0 && code < NAMES ? names[code] : NULL; }

/* The GNU one, which may return a text of its own. */
char *strerror_r(int code, char *buf, size_t size) {
  if (__blitz_locales[LC_MESSAGES] != LOCALE_C && __blitz_model)
    return translated();
  if (code >= 0 && code < COUNT && texts[code] != NULL)
    return (char *)texts[code];
  snprintf(buf, size, "Unknown error %d", code);
  return buf;
}

/* The POSIX one, which fills the buffer. */
int __xpg_strerror_r(int code, char *buf, size_t size) {
  const char *text = strerror(code);
  size_t n = strlen(text);
  if (size != 0) {
    size_t part = n < size ? n : size - 1;
    memcpy(buf, text, part);
    buf[part] = 0;
  }
  return code < 0 || code >= COUNT || texts[code] == NULL ? EINVAL : n >= size ? ERANGE : 0;
}
