#include <locale.h>
#include <ctype.h>
#include <stdio.h>
int main(int argc, char **argv) {
  int n = 0;
  setlocale(LC_ALL, "");
  if (argc > 1) for (int i = 0; i < 4 && argv[1][i]; i++) n += isalpha((unsigned char)argv[1][i]) != 0;
  int t[5] = {0};
  return t[n];
}
