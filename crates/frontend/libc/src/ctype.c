/* <ctype.h>: the tables behind glibc's macros, and the functions; "C" and the bytes of other locales.
 *
 * The tables are indexed from -128 to 255, as the headers of glibc do it: reading further is an overflow here too.
 * direction: exact, but that locales with characters of one byte may have any classes from 128 on */
#define _GNU_SOURCE
#include "libc.h"
#include <ctype.h>
#include <locale.h>
#include <string.h>

#undef isascii
#undef toascii
#undef _tolower
#undef _toupper
#undef tolower_l
#undef toupper_l
#undef __tolower_l
#undef __toupper_l

/* Class bits as in glibc's headers for a little-endian machine; bytes above 127 belong to no class. */
static const unsigned short classes[384] = {
    [128] = 0x0002, [129] = 0x0002, [130] = 0x0002, [131] = 0x0002, [132] = 0x0002, [133] = 0x0002, [134] = 0x0002, [135] = 0x0002, [136] = 0x0002, [137] = 0x2003, [138] = 0x2002, [139] = 0x2002,
    [140] = 0x2002, [141] = 0x2002, [142] = 0x0002, [143] = 0x0002, [144] = 0x0002, [145] = 0x0002, [146] = 0x0002, [147] = 0x0002, [148] = 0x0002, [149] = 0x0002, [150] = 0x0002, [151] = 0x0002,
    [152] = 0x0002, [153] = 0x0002, [154] = 0x0002, [155] = 0x0002, [156] = 0x0002, [157] = 0x0002, [158] = 0x0002, [159] = 0x0002, [160] = 0x6001, [161] = 0xc004, [162] = 0xc004, [163] = 0xc004,
    [164] = 0xc004, [165] = 0xc004, [166] = 0xc004, [167] = 0xc004, [168] = 0xc004, [169] = 0xc004, [170] = 0xc004, [171] = 0xc004, [172] = 0xc004, [173] = 0xc004, [174] = 0xc004, [175] = 0xc004,
    [176] = 0xd808, [177] = 0xd808, [178] = 0xd808, [179] = 0xd808, [180] = 0xd808, [181] = 0xd808, [182] = 0xd808, [183] = 0xd808, [184] = 0xd808, [185] = 0xd808, [186] = 0xc004, [187] = 0xc004,
    [188] = 0xc004, [189] = 0xc004, [190] = 0xc004, [191] = 0xc004, [192] = 0xc004, [193] = 0xd508, [194] = 0xd508, [195] = 0xd508, [196] = 0xd508, [197] = 0xd508, [198] = 0xd508, [199] = 0xc508,
    [200] = 0xc508, [201] = 0xc508, [202] = 0xc508, [203] = 0xc508, [204] = 0xc508, [205] = 0xc508, [206] = 0xc508, [207] = 0xc508, [208] = 0xc508, [209] = 0xc508, [210] = 0xc508, [211] = 0xc508,
    [212] = 0xc508, [213] = 0xc508, [214] = 0xc508, [215] = 0xc508, [216] = 0xc508, [217] = 0xc508, [218] = 0xc508, [219] = 0xc004, [220] = 0xc004, [221] = 0xc004, [222] = 0xc004, [223] = 0xc004,
    [224] = 0xc004, [225] = 0xd608, [226] = 0xd608, [227] = 0xd608, [228] = 0xd608, [229] = 0xd608, [230] = 0xd608, [231] = 0xc608, [232] = 0xc608, [233] = 0xc608, [234] = 0xc608, [235] = 0xc608,
    [236] = 0xc608, [237] = 0xc608, [238] = 0xc608, [239] = 0xc608, [240] = 0xc608, [241] = 0xc608, [242] = 0xc608, [243] = 0xc608, [244] = 0xc608, [245] = 0xc608, [246] = 0xc608, [247] = 0xc608,
    [248] = 0xc608, [249] = 0xc608, [250] = 0xc608, [251] = 0xc004, [252] = 0xc004, [253] = 0xc004, [254] = 0xc004, [255] = 0x0002,
};
static const int lower[384] = {
    128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143,
    144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159,
    160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175,
    176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191,
    192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207,
    208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223,
    224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239,
    240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, -1,
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
    32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
    48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
    64, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111,
    112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 91, 92, 93, 94, 95,
    96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111,
    112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127,
    128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143,
    144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159,
    160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175,
    176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191,
    192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207,
    208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223,
    224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239,
    240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, 255,
};
static const int upper[384] = {
    128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143,
    144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159,
    160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175,
    176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191,
    192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207,
    208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223,
    224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239,
    240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, -1,
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
    32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
    48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
    64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79,
    80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95,
    96, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79,
    80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 123, 124, 125, 126, 127,
    128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143,
    144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159,
    160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175,
    176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191,
    192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207,
    208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223,
    224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239,
    240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, 255,
};

static const unsigned short *class_table = classes + 128;
static const int *lower_table = lower + 128;
static const int *upper_table = upper + 128;

const unsigned short **__ctype_b_loc(void) { return &class_table; }
const int **__ctype_tolower_loc(void) { return &lower_table; }
const int **__ctype_toupper_loc(void) { return &upper_table; }
size_t __ctype_get_mb_cur_max(void) { return __blitz_locales[LC_CTYPE] == LOCALE_UTF8 ? 6 : 1; }

/* Tables of a locale in which bytes from 128 on are characters. */
static unsigned short own_classes[384];
static int own_lower[384], own_upper[384];

/* The tables of "C", for locales as objects: the macros of glibc's headers read them. */
void __blitz_c_tables(struct __locale_struct *locale) {
  locale->__ctype_b = classes + 128;
  locale->__ctype_tolower = lower + 128;
  locale->__ctype_toupper = upper + 128;
}

void __blitz_byte_locale(int on) {
  if (on) {
    memcpy(own_classes, classes, sizeof classes);
    memcpy(own_lower, lower, sizeof lower);
    memcpy(own_upper, upper, sizeof upper);
    __blitz_byte_classes(own_classes + 256, own_lower + 256, own_upper + 256);
    /* As signed characters they are the same; -1 is EOF. */
    memcpy(own_classes, own_classes + 256, 127 * sizeof *own_classes);
    memcpy(own_lower, own_lower + 256, 127 * sizeof *own_lower);
    memcpy(own_upper, own_upper + 256, 127 * sizeof *own_upper);
  }
  class_table = (on ? own_classes : classes) + 128;
  lower_table = (on ? own_lower : lower) + 128;
  upper_table = (on ? own_upper : upper) + 128;
}

/* Reads the table, so that an argument outside of it is an error as it is in glibc. */
static int has(int c, int bit) { return class_table[c] & bit; }
static int has_in_c(int c, int bit) { return classes[128 + c] & bit; }

#define CLASS(name, bit)                                                                                               \
  int name(int c) { return has(c, bit); }                                                                              \
  int name##_l(int c, locale_t locale) { return has_in_c(c, bit); }                                                    \
  int __##name##_l(int c, locale_t locale) { return has_in_c(c, bit); }

CLASS(isalnum, _ISalnum)
CLASS(isalpha, _ISalpha)
CLASS(isblank, _ISblank)
CLASS(iscntrl, _IScntrl)
CLASS(isdigit, _ISdigit)
CLASS(isgraph, _ISgraph)
CLASS(islower, _ISlower)
CLASS(isprint, _ISprint)
CLASS(ispunct, _ISpunct)
CLASS(isspace, _ISspace)
CLASS(isupper, _ISupper)
CLASS(isxdigit, _ISxdigit)

static int to_lower(int c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; }
static int to_upper(int c) { return c >= 'a' && c <= 'z' ? c - ('a' - 'A') : c; }
int tolower(int c) { return lower_table != lower + 128 && c >= -128 && c < 256 ? lower_table[c] : to_lower(c); }
int toupper(int c) { return upper_table != upper + 128 && c >= -128 && c < 256 ? upper_table[c] : to_upper(c); }
int tolower_l(int c, locale_t locale) { return to_lower(c); }
int toupper_l(int c, locale_t locale) { return to_upper(c); }
int __tolower_l(int c, locale_t locale) { return to_lower(c); }
int __toupper_l(int c, locale_t locale) { return to_upper(c); }
int _tolower(int c) { return tolower(c); }
int _toupper(int c) { return toupper(c); }
int isascii(int c) { return c >= 0 && c < 128; }
int toascii(int c) { return c & 127; }
