// Atomic operations: there is one thread, so they are plain ones.
#include <stdatomic.h>
#include <stdio.h>

int main(void) {
  atomic_int n = 5;
  printf("%d ", atomic_fetch_add(&n, 3));
  int expected = 8;
  printf("%d ", atomic_compare_exchange_strong(&n, &expected, 11));
  expected = 1;
  printf("%d %d ", atomic_compare_exchange_weak(&n, &expected, 12), expected);
  printf("%d %d\n", atomic_exchange(&n, 2), atomic_load(&n));
  int plain = 6;
  __sync_fetch_and_nand(&plain, 3);
  printf("%d ", plain);
  __atomic_fetch_or(&plain, 6, __ATOMIC_SEQ_CST);
  __atomic_fetch_xor(&plain, 1, __ATOMIC_RELAXED);
  __atomic_fetch_and(&plain, 0xff, __ATOMIC_RELAXED);
  printf("%d %d %d\n", plain, __atomic_sub_fetch(&plain, 2, __ATOMIC_ACQ_REL), __sync_lock_test_and_set(&plain, 7));
  atomic_flag flag = ATOMIC_FLAG_INIT;
  printf("%d", atomic_flag_test_and_set(&flag));
  printf("%d\n", atomic_flag_test_and_set(&flag));
  atomic_thread_fence(memory_order_seq_cst);
  __sync_synchronize();
  return 0;
}
