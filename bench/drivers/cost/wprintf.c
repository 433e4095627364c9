#include <wchar.h>
int main(int argc, char **argv) {
  wchar_t b[32];
  int n = argc > 1 ? argv[1][0] : 0;
  int used = swprintf(b, 32, L"%d:%ls", n, n > 5 ? L"a" : L"bc");
  wprintf(L"%ls %d\n", b, n);
  return used < 0 ? 0 : b[used];
}
