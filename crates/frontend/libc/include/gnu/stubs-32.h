/* Empty on purpose: lets -m32 compile against 64-bit glibc headers. */
