//@ verdict: safe
//@ native: none
//@ unwind: 1
// A range that begins above a number was enumerated from that number and one, which overflowed where the number was the largest of its type: a
// signed-overflow that the program does not have.
int main(void) {
  int k, least;
  __CPROVER_assume(least > 2147483640 && k > least);
  int some = __CPROVER_exists { int j; j > least && j < k };
  __CPROVER_assert(!some || k > 2147483642, "there is room between them");
  int none = __CPROVER_exists { int j; j > k && j < 2147483647 && j < least };
  __CPROVER_assert(!none, "nothing lies above the larger and below the smaller");
  return 0;
}
