#include <unistd.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int c, verbose = 0, t[4]; const char *out = "";
  while ((c = getopt(argc, argv, "vqxyzn:o:abcde")) != -1)
    switch (c) { case 'v': verbose++; break; case 'o': out = optarg; break; case 'n': case '?': break; default: verbose = 0; }
  if (verbose <= 4) t[verbose] = 1;
  return out[0];
}
