#include <getopt.h>
#include <string.h>
static struct option longs[] = {{"verbose", 0, 0, 'v'}, {"quiet", 0, 0, 'q'}, {"output", 1, 0, 'o'}, {"number", 1, 0, 'n'}, {"alpha", 0, 0, 'a'}, {"beta", 0, 0, 'b'}, {"gamma", 0, 0, 'c'},
  {"delta", 0, 0, 'd'}, {"epsilon", 0, 0, 'e'}, {"extra", 0, 0, 'x'}, {"yield", 0, 0, 'y'}, {"zero", 0, 0, 'z'}, {"help", 0, 0, 'h'}, {0, 0, 0, 0}};
int main(int argc, char **argv) {
  char name[16] = "out";
  int c;
  while ((c = getopt_long(argc, argv, "vqxyzn:o:abcdeh", longs, 0)) != -1)
    if (c == 'o' && strlen(optarg) <= sizeof name) strcpy(name, optarg);
  return name[0];
}
