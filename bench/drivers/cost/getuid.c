#include <unistd.h>
int main(void) { int t[2] = {0}; return t[getuid() == 0]; }
