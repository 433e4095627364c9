//@ verdict: violation
// Structs in registers: members that are unset stay so on the way into a function and out of it.
struct point {
  int x, y;
};

static struct point moved(struct point p) {
  p.x++;
  return p;
}

static int height(struct point p) {
  return p.y + 1;  //~ uninitialised
}

int main(void) {
  struct point p;
  p.x = 1;
  return height(moved(p)) > 100;
}
