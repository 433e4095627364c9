//@ verdict: safe
static int history[5] = {3, 1, 4, 1, 5};

static int last(int count) {
  return history[count - 1];
}

int main(void) {
  return last(5) == 5 ? 0 : 1;
}
