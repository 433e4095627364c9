#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
  char name[16] = "out";
  int c;
  while ((c = getopt(argc, argv, "ho:")) != -1)
    if (c == 'o' && strlen(optarg) < sizeof name) strcpy(name, optarg);
  return name[0];
}
