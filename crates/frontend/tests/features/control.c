// Control flow: switch with ranges, computed goto, setjmp and longjmp, gotos past declarations, barriers.
#include <setjmp.h>
#include <stdio.h>

static jmp_buf start;

static void descend(int depth) {
  if (depth > 2)
    longjmp(start, depth);
  descend(depth + 1);
}

static int threaded(const char *code) {
  static void *const labels[] = {&&increment, &&decrement, &&twice, &&end};
  int value = 0;
  goto *labels[*code++ - '0'];
increment:
  value++;
  goto *labels[*code++ - '0'];
decrement:
  value--;
  goto *labels[*code++ - '0'];
twice:
  value *= 2;
  goto *labels[*code++ - '0'];
end:
  return value;
}

static const char *class_of(int n) {
  switch (n) {
  case -3 ... -1:
    return "negative";
  case 0:
    return "zero";
  case 1 ... 1000:
    return "positive";
  default:
    return "far";
  }
}

static int jumps(int n) {
  int sum = 0;
again:
  if (n > 0) {
    int local = n--;
    sum += local;
    goto again;
  }
  return sum;
}

static int duff(int n) {
  int done = 0;
  switch (n % 4) {
    do {
    case 0: done++;
    case 3: done++;
    case 2: done++;
    case 1: done++;
    } while ((n -= 4) > 0);
  }
  return done;
}

int main(void) {
  int back = setjmp(start);
  if (!back)
    descend(0);
  printf("%d %d %d %d\n", back, threaded("00201003"), jumps(5), duff(7));
  printf("%s %s %s %s\n", class_of(-2), class_of(0), class_of(77), class_of(5000));
  int kept = 5;
  __asm__ volatile("" ::: "memory");
  __asm__("" : "+r"(kept));
  printf("%d %d\n", kept, kept > 3 ? kept < 9 && kept != 6 : 0);
  return 0;
}
