//@ verdict: violation
static int m[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};

static int column_sum(int column) {
  int sum = 0;
  for (int row = 0; row < 3; row++)
    sum += m[row][column];  //~ array-bounds
  return sum;
}

int main(void) {
  return column_sum(4) == 24 ? 0 : 1;
}
