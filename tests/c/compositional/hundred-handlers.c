//@ verdict: violation
//@ property: on_77.assertion.1
// A table of a hundred handlers and a callback that is registered elsewhere: the bug is in one handler and needs what
// another one has set. The others are not looked into.
#include <assert.h>

extern int nondet_int(void);
extern unsigned nondet_uint(void);

struct state {
  int mode, counts[100], total;
  int (*done)(struct state *);
};
typedef int handler(struct state *, int);

static int finish(struct state *s) {
  return s->total;
}

static int on_42(struct state *s, int x) {
  if (x > 1000)
    s->mode = 7;
  s->counts[42]++;
  return 0;
}

static int on_77(struct state *s, int x) {
  assert(!(s->mode == 7 && x == 77)); //~ assertion
  return s->done(s);
}

static int on_0(struct state *s, int x) {
  for (int i = 0; i < x % 2; i++)
    s->counts[0] += i ^ x;
  s->total += 0;
  return s->counts[0] & 0;
}

static int on_1(struct state *s, int x) {
  for (int i = 0; i < x % 3; i++)
    s->counts[1] += i ^ x;
  s->total += 1;
  return s->counts[1] & 1;
}

static int on_2(struct state *s, int x) {
  for (int i = 0; i < x % 4; i++)
    s->counts[2] += i ^ x;
  s->total += 2;
  return s->counts[2] & 2;
}

static int on_3(struct state *s, int x) {
  for (int i = 0; i < x % 5; i++)
    s->counts[3] += i ^ x;
  s->total += 3;
  return s->counts[3] & 3;
}

static int on_4(struct state *s, int x) {
  for (int i = 0; i < x % 6; i++)
    s->counts[4] += i ^ x;
  s->total += 4;
  return s->counts[4] & 4;
}

static int on_5(struct state *s, int x) {
  for (int i = 0; i < x % 7; i++)
    s->counts[5] += i ^ x;
  s->total += 5;
  return s->counts[5] & 5;
}

static int on_6(struct state *s, int x) {
  for (int i = 0; i < x % 8; i++)
    s->counts[6] += i ^ x;
  s->total += 6;
  return s->counts[6] & 6;
}

static int on_7(struct state *s, int x) {
  for (int i = 0; i < x % 9; i++)
    s->counts[7] += i ^ x;
  s->total += 7;
  return s->counts[7] & 7;
}

static int on_8(struct state *s, int x) {
  for (int i = 0; i < x % 10; i++)
    s->counts[8] += i ^ x;
  s->total += 8;
  return s->counts[8] & 8;
}

static int on_9(struct state *s, int x) {
  for (int i = 0; i < x % 11; i++)
    s->counts[9] += i ^ x;
  s->total += 9;
  return s->counts[9] & 9;
}

static int on_10(struct state *s, int x) {
  for (int i = 0; i < x % 12; i++)
    s->counts[10] += i ^ x;
  s->total += 10;
  return s->counts[10] & 10;
}

static int on_11(struct state *s, int x) {
  for (int i = 0; i < x % 13; i++)
    s->counts[11] += i ^ x;
  s->total += 11;
  return s->counts[11] & 11;
}

static int on_12(struct state *s, int x) {
  for (int i = 0; i < x % 14; i++)
    s->counts[12] += i ^ x;
  s->total += 12;
  return s->counts[12] & 12;
}

static int on_13(struct state *s, int x) {
  for (int i = 0; i < x % 15; i++)
    s->counts[13] += i ^ x;
  s->total += 13;
  return s->counts[13] & 13;
}

static int on_14(struct state *s, int x) {
  for (int i = 0; i < x % 16; i++)
    s->counts[14] += i ^ x;
  s->total += 14;
  return s->counts[14] & 14;
}

static int on_15(struct state *s, int x) {
  for (int i = 0; i < x % 17; i++)
    s->counts[15] += i ^ x;
  s->total += 15;
  return s->counts[15] & 15;
}

static int on_16(struct state *s, int x) {
  for (int i = 0; i < x % 18; i++)
    s->counts[16] += i ^ x;
  s->total += 16;
  return s->counts[16] & 16;
}

static int on_17(struct state *s, int x) {
  for (int i = 0; i < x % 19; i++)
    s->counts[17] += i ^ x;
  s->total += 17;
  return s->counts[17] & 17;
}

static int on_18(struct state *s, int x) {
  for (int i = 0; i < x % 20; i++)
    s->counts[18] += i ^ x;
  s->total += 18;
  return s->counts[18] & 18;
}

static int on_19(struct state *s, int x) {
  for (int i = 0; i < x % 21; i++)
    s->counts[19] += i ^ x;
  s->total += 19;
  return s->counts[19] & 19;
}

static int on_20(struct state *s, int x) {
  for (int i = 0; i < x % 22; i++)
    s->counts[20] += i ^ x;
  s->total += 20;
  return s->counts[20] & 20;
}

static int on_21(struct state *s, int x) {
  for (int i = 0; i < x % 23; i++)
    s->counts[21] += i ^ x;
  s->total += 21;
  return s->counts[21] & 21;
}

static int on_22(struct state *s, int x) {
  for (int i = 0; i < x % 24; i++)
    s->counts[22] += i ^ x;
  s->total += 22;
  return s->counts[22] & 22;
}

static int on_23(struct state *s, int x) {
  for (int i = 0; i < x % 25; i++)
    s->counts[23] += i ^ x;
  s->total += 23;
  return s->counts[23] & 23;
}

static int on_24(struct state *s, int x) {
  for (int i = 0; i < x % 26; i++)
    s->counts[24] += i ^ x;
  s->total += 24;
  return s->counts[24] & 24;
}

static int on_25(struct state *s, int x) {
  for (int i = 0; i < x % 27; i++)
    s->counts[25] += i ^ x;
  s->total += 25;
  return s->counts[25] & 25;
}

static int on_26(struct state *s, int x) {
  for (int i = 0; i < x % 28; i++)
    s->counts[26] += i ^ x;
  s->total += 26;
  return s->counts[26] & 26;
}

static int on_27(struct state *s, int x) {
  for (int i = 0; i < x % 29; i++)
    s->counts[27] += i ^ x;
  s->total += 27;
  return s->counts[27] & 27;
}

static int on_28(struct state *s, int x) {
  for (int i = 0; i < x % 30; i++)
    s->counts[28] += i ^ x;
  s->total += 28;
  return s->counts[28] & 28;
}

static int on_29(struct state *s, int x) {
  for (int i = 0; i < x % 31; i++)
    s->counts[29] += i ^ x;
  s->total += 29;
  return s->counts[29] & 29;
}

static int on_30(struct state *s, int x) {
  for (int i = 0; i < x % 32; i++)
    s->counts[30] += i ^ x;
  s->total += 30;
  return s->counts[30] & 30;
}

static int on_31(struct state *s, int x) {
  for (int i = 0; i < x % 33; i++)
    s->counts[31] += i ^ x;
  s->total += 31;
  return s->counts[31] & 31;
}

static int on_32(struct state *s, int x) {
  for (int i = 0; i < x % 34; i++)
    s->counts[32] += i ^ x;
  s->total += 32;
  return s->counts[32] & 32;
}

static int on_33(struct state *s, int x) {
  for (int i = 0; i < x % 35; i++)
    s->counts[33] += i ^ x;
  s->total += 33;
  return s->counts[33] & 33;
}

static int on_34(struct state *s, int x) {
  for (int i = 0; i < x % 36; i++)
    s->counts[34] += i ^ x;
  s->total += 34;
  return s->counts[34] & 34;
}

static int on_35(struct state *s, int x) {
  for (int i = 0; i < x % 37; i++)
    s->counts[35] += i ^ x;
  s->total += 35;
  return s->counts[35] & 35;
}

static int on_36(struct state *s, int x) {
  for (int i = 0; i < x % 38; i++)
    s->counts[36] += i ^ x;
  s->total += 36;
  return s->counts[36] & 36;
}

static int on_37(struct state *s, int x) {
  for (int i = 0; i < x % 39; i++)
    s->counts[37] += i ^ x;
  s->total += 37;
  return s->counts[37] & 37;
}

static int on_38(struct state *s, int x) {
  for (int i = 0; i < x % 40; i++)
    s->counts[38] += i ^ x;
  s->total += 38;
  return s->counts[38] & 38;
}

static int on_39(struct state *s, int x) {
  for (int i = 0; i < x % 41; i++)
    s->counts[39] += i ^ x;
  s->total += 39;
  return s->counts[39] & 39;
}

static int on_40(struct state *s, int x) {
  for (int i = 0; i < x % 42; i++)
    s->counts[40] += i ^ x;
  s->total += 40;
  return s->counts[40] & 40;
}

static int on_41(struct state *s, int x) {
  for (int i = 0; i < x % 43; i++)
    s->counts[41] += i ^ x;
  s->total += 41;
  return s->counts[41] & 41;
}

static int on_43(struct state *s, int x) {
  for (int i = 0; i < x % 45; i++)
    s->counts[43] += i ^ x;
  s->total += 43;
  return s->counts[43] & 43;
}

static int on_44(struct state *s, int x) {
  for (int i = 0; i < x % 46; i++)
    s->counts[44] += i ^ x;
  s->total += 44;
  return s->counts[44] & 44;
}

static int on_45(struct state *s, int x) {
  for (int i = 0; i < x % 47; i++)
    s->counts[45] += i ^ x;
  s->total += 45;
  return s->counts[45] & 45;
}

static int on_46(struct state *s, int x) {
  for (int i = 0; i < x % 48; i++)
    s->counts[46] += i ^ x;
  s->total += 46;
  return s->counts[46] & 46;
}

static int on_47(struct state *s, int x) {
  for (int i = 0; i < x % 49; i++)
    s->counts[47] += i ^ x;
  s->total += 47;
  return s->counts[47] & 47;
}

static int on_48(struct state *s, int x) {
  for (int i = 0; i < x % 50; i++)
    s->counts[48] += i ^ x;
  s->total += 48;
  return s->counts[48] & 48;
}

static int on_49(struct state *s, int x) {
  for (int i = 0; i < x % 51; i++)
    s->counts[49] += i ^ x;
  s->total += 49;
  return s->counts[49] & 49;
}

static int on_50(struct state *s, int x) {
  for (int i = 0; i < x % 52; i++)
    s->counts[50] += i ^ x;
  s->total += 50;
  return s->counts[50] & 50;
}

static int on_51(struct state *s, int x) {
  for (int i = 0; i < x % 53; i++)
    s->counts[51] += i ^ x;
  s->total += 51;
  return s->counts[51] & 51;
}

static int on_52(struct state *s, int x) {
  for (int i = 0; i < x % 54; i++)
    s->counts[52] += i ^ x;
  s->total += 52;
  return s->counts[52] & 52;
}

static int on_53(struct state *s, int x) {
  for (int i = 0; i < x % 55; i++)
    s->counts[53] += i ^ x;
  s->total += 53;
  return s->counts[53] & 53;
}

static int on_54(struct state *s, int x) {
  for (int i = 0; i < x % 56; i++)
    s->counts[54] += i ^ x;
  s->total += 54;
  return s->counts[54] & 54;
}

static int on_55(struct state *s, int x) {
  for (int i = 0; i < x % 57; i++)
    s->counts[55] += i ^ x;
  s->total += 55;
  return s->counts[55] & 55;
}

static int on_56(struct state *s, int x) {
  for (int i = 0; i < x % 58; i++)
    s->counts[56] += i ^ x;
  s->total += 56;
  return s->counts[56] & 56;
}

static int on_57(struct state *s, int x) {
  for (int i = 0; i < x % 59; i++)
    s->counts[57] += i ^ x;
  s->total += 57;
  return s->counts[57] & 57;
}

static int on_58(struct state *s, int x) {
  for (int i = 0; i < x % 60; i++)
    s->counts[58] += i ^ x;
  s->total += 58;
  return s->counts[58] & 58;
}

static int on_59(struct state *s, int x) {
  for (int i = 0; i < x % 61; i++)
    s->counts[59] += i ^ x;
  s->total += 59;
  return s->counts[59] & 59;
}

static int on_60(struct state *s, int x) {
  for (int i = 0; i < x % 62; i++)
    s->counts[60] += i ^ x;
  s->total += 60;
  return s->counts[60] & 60;
}

static int on_61(struct state *s, int x) {
  for (int i = 0; i < x % 63; i++)
    s->counts[61] += i ^ x;
  s->total += 61;
  return s->counts[61] & 61;
}

static int on_62(struct state *s, int x) {
  for (int i = 0; i < x % 64; i++)
    s->counts[62] += i ^ x;
  s->total += 62;
  return s->counts[62] & 62;
}

static int on_63(struct state *s, int x) {
  for (int i = 0; i < x % 65; i++)
    s->counts[63] += i ^ x;
  s->total += 63;
  return s->counts[63] & 63;
}

static int on_64(struct state *s, int x) {
  for (int i = 0; i < x % 66; i++)
    s->counts[64] += i ^ x;
  s->total += 64;
  return s->counts[64] & 64;
}

static int on_65(struct state *s, int x) {
  for (int i = 0; i < x % 67; i++)
    s->counts[65] += i ^ x;
  s->total += 65;
  return s->counts[65] & 65;
}

static int on_66(struct state *s, int x) {
  for (int i = 0; i < x % 68; i++)
    s->counts[66] += i ^ x;
  s->total += 66;
  return s->counts[66] & 66;
}

static int on_67(struct state *s, int x) {
  for (int i = 0; i < x % 69; i++)
    s->counts[67] += i ^ x;
  s->total += 67;
  return s->counts[67] & 67;
}

static int on_68(struct state *s, int x) {
  for (int i = 0; i < x % 70; i++)
    s->counts[68] += i ^ x;
  s->total += 68;
  return s->counts[68] & 68;
}

static int on_69(struct state *s, int x) {
  for (int i = 0; i < x % 71; i++)
    s->counts[69] += i ^ x;
  s->total += 69;
  return s->counts[69] & 69;
}

static int on_70(struct state *s, int x) {
  for (int i = 0; i < x % 72; i++)
    s->counts[70] += i ^ x;
  s->total += 70;
  return s->counts[70] & 70;
}

static int on_71(struct state *s, int x) {
  for (int i = 0; i < x % 73; i++)
    s->counts[71] += i ^ x;
  s->total += 71;
  return s->counts[71] & 71;
}

static int on_72(struct state *s, int x) {
  for (int i = 0; i < x % 74; i++)
    s->counts[72] += i ^ x;
  s->total += 72;
  return s->counts[72] & 72;
}

static int on_73(struct state *s, int x) {
  for (int i = 0; i < x % 75; i++)
    s->counts[73] += i ^ x;
  s->total += 73;
  return s->counts[73] & 73;
}

static int on_74(struct state *s, int x) {
  for (int i = 0; i < x % 76; i++)
    s->counts[74] += i ^ x;
  s->total += 74;
  return s->counts[74] & 74;
}

static int on_75(struct state *s, int x) {
  for (int i = 0; i < x % 77; i++)
    s->counts[75] += i ^ x;
  s->total += 75;
  return s->counts[75] & 75;
}

static int on_76(struct state *s, int x) {
  for (int i = 0; i < x % 78; i++)
    s->counts[76] += i ^ x;
  s->total += 76;
  return s->counts[76] & 76;
}

static int on_78(struct state *s, int x) {
  for (int i = 0; i < x % 80; i++)
    s->counts[78] += i ^ x;
  s->total += 78;
  return s->counts[78] & 78;
}

static int on_79(struct state *s, int x) {
  for (int i = 0; i < x % 81; i++)
    s->counts[79] += i ^ x;
  s->total += 79;
  return s->counts[79] & 79;
}

static int on_80(struct state *s, int x) {
  for (int i = 0; i < x % 82; i++)
    s->counts[80] += i ^ x;
  s->total += 80;
  return s->counts[80] & 80;
}

static int on_81(struct state *s, int x) {
  for (int i = 0; i < x % 83; i++)
    s->counts[81] += i ^ x;
  s->total += 81;
  return s->counts[81] & 81;
}

static int on_82(struct state *s, int x) {
  for (int i = 0; i < x % 84; i++)
    s->counts[82] += i ^ x;
  s->total += 82;
  return s->counts[82] & 82;
}

static int on_83(struct state *s, int x) {
  for (int i = 0; i < x % 85; i++)
    s->counts[83] += i ^ x;
  s->total += 83;
  return s->counts[83] & 83;
}

static int on_84(struct state *s, int x) {
  for (int i = 0; i < x % 86; i++)
    s->counts[84] += i ^ x;
  s->total += 84;
  return s->counts[84] & 84;
}

static int on_85(struct state *s, int x) {
  for (int i = 0; i < x % 87; i++)
    s->counts[85] += i ^ x;
  s->total += 85;
  return s->counts[85] & 85;
}

static int on_86(struct state *s, int x) {
  for (int i = 0; i < x % 88; i++)
    s->counts[86] += i ^ x;
  s->total += 86;
  return s->counts[86] & 86;
}

static int on_87(struct state *s, int x) {
  for (int i = 0; i < x % 89; i++)
    s->counts[87] += i ^ x;
  s->total += 87;
  return s->counts[87] & 87;
}

static int on_88(struct state *s, int x) {
  for (int i = 0; i < x % 90; i++)
    s->counts[88] += i ^ x;
  s->total += 88;
  return s->counts[88] & 88;
}

static int on_89(struct state *s, int x) {
  for (int i = 0; i < x % 91; i++)
    s->counts[89] += i ^ x;
  s->total += 89;
  return s->counts[89] & 89;
}

static int on_90(struct state *s, int x) {
  for (int i = 0; i < x % 92; i++)
    s->counts[90] += i ^ x;
  s->total += 90;
  return s->counts[90] & 90;
}

static int on_91(struct state *s, int x) {
  for (int i = 0; i < x % 93; i++)
    s->counts[91] += i ^ x;
  s->total += 91;
  return s->counts[91] & 91;
}

static int on_92(struct state *s, int x) {
  for (int i = 0; i < x % 94; i++)
    s->counts[92] += i ^ x;
  s->total += 92;
  return s->counts[92] & 92;
}

static int on_93(struct state *s, int x) {
  for (int i = 0; i < x % 95; i++)
    s->counts[93] += i ^ x;
  s->total += 93;
  return s->counts[93] & 93;
}

static int on_94(struct state *s, int x) {
  for (int i = 0; i < x % 96; i++)
    s->counts[94] += i ^ x;
  s->total += 94;
  return s->counts[94] & 94;
}

static int on_95(struct state *s, int x) {
  for (int i = 0; i < x % 97; i++)
    s->counts[95] += i ^ x;
  s->total += 95;
  return s->counts[95] & 95;
}

static int on_96(struct state *s, int x) {
  for (int i = 0; i < x % 98; i++)
    s->counts[96] += i ^ x;
  s->total += 96;
  return s->counts[96] & 96;
}

static int on_97(struct state *s, int x) {
  for (int i = 0; i < x % 99; i++)
    s->counts[97] += i ^ x;
  s->total += 97;
  return s->counts[97] & 97;
}

static int on_98(struct state *s, int x) {
  for (int i = 0; i < x % 100; i++)
    s->counts[98] += i ^ x;
  s->total += 98;
  return s->counts[98] & 98;
}

static int on_99(struct state *s, int x) {
  for (int i = 0; i < x % 101; i++)
    s->counts[99] += i ^ x;
  s->total += 99;
  return s->counts[99] & 99;
}

static handler *const handlers[100] = {on_0, on_1, on_2, on_3, on_4, on_5, on_6, on_7, on_8, on_9, on_10, on_11, on_12, on_13, on_14, on_15, on_16, on_17, on_18, on_19, on_20, on_21, on_22, on_23, on_24, on_25, on_26, on_27, on_28, on_29, on_30, on_31, on_32, on_33, on_34, on_35, on_36, on_37, on_38, on_39, on_40, on_41, on_42, on_43, on_44, on_45, on_46, on_47, on_48, on_49, on_50, on_51, on_52, on_53, on_54, on_55, on_56, on_57, on_58, on_59, on_60, on_61, on_62, on_63, on_64, on_65, on_66, on_67, on_68, on_69, on_70, on_71, on_72, on_73, on_74, on_75, on_76, on_77, on_78, on_79, on_80, on_81, on_82, on_83, on_84, on_85, on_86, on_87, on_88, on_89, on_90, on_91, on_92, on_93, on_94, on_95, on_96, on_97, on_98, on_99};

static void register_callback(struct state *s, int (*f)(struct state *)) { s->done = f; }

static void dispatch(struct state *s, unsigned command, int x) {
  if (command < 100)
    handlers[command](s, x);
}

int main(void) {
  struct state s = {0};
  register_callback(&s, finish);
  dispatch(&s, nondet_uint(), nondet_int());
  dispatch(&s, nondet_uint(), nondet_int());
  return 0;
}
