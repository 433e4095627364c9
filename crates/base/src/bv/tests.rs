use super::Bv;

/// A small deterministic generator.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn bv(&mut self, width: u16) -> Bv {
        let limbs: Vec<u64> = (0..width.div_ceil(64))
            .map(|_| match self.next() % 5 {
                0 => 0,
                1 => u64::MAX,
                2 => self.next() % 16,
                _ => self.next(),
            })
            .collect();
        Bv::from_limbs(width, &limbs)
    }
}

#[test]
fn small_values_follow_machine_arithmetic() {
    for width in 1..=5u16 {
        let n = 1u64 << width;
        let signed = |v: u64| {
            if v >> (width - 1) & 1 == 1 { v as i64 - n as i64 } else { v as i64 }
        };
        let bv = |v: i64| Bv::from_i64(width, v);
        for a in 0..n {
            for b in 0..n {
                let (x, y) = (Bv::from_u64(width, a), Bv::from_u64(width, b));
                let (sa, sb) = (signed(a), signed(b));
                let (ia, ib) = (a as i64, b as i64);
                assert_eq!(x.to_i64(), Some(sa));
                assert_eq!(x.add(&y), bv(ia + ib));
                assert_eq!(x.sub(&y), bv(ia - ib));
                assert_eq!(x.mul(&y), bv(ia * ib));
                assert_eq!(x.ult(&y), a < b);
                assert_eq!(x.slt(&y), sa < sb);
                if b != 0 {
                    assert_eq!(x.udiv(&y), bv(ia / ib));
                    assert_eq!(x.urem(&y), bv(ia % ib));
                    assert_eq!(x.sdiv(&y), bv(sa / sb));
                    assert_eq!(x.srem(&y), bv(sa % sb));
                    assert_eq!(x.smod(&y), bv((sa % sb + sb) % sb));
                } else {
                    assert_eq!(x.udiv(&y), Bv::ones(width));
                    assert_eq!(x.urem(&y), x);
                    assert_eq!(x.sdiv(&y), if sa < 0 { bv(1) } else { bv(-1) });
                    assert_eq!(x.srem(&y), x);
                    assert_eq!(x.smod(&y), x);
                }
                assert_eq!(x.shl(&y), if b < 64 { bv(ia << ib.min(60)) } else { bv(0) });
                assert_eq!(x.lshr(&y), bv(ia >> ib));
                assert_eq!(x.ashr(&y), bv(sa >> ib));
                let fits = |v: i64| v >= -(n as i64) / 2 && v < n as i64 / 2;
                assert_eq!(x.saddo(&y), !fits(sa + sb));
                assert_eq!(x.ssubo(&y), !fits(sa - sb));
                assert_eq!(x.smulo(&y), !fits(sa * sb));
                assert_eq!(x.uaddo(&y), a + b >= n);
                assert_eq!(x.usubo(&y), a < b);
                assert_eq!(x.umulo(&y), a * b >= n);
                assert_eq!(x.concat(&y), Bv::from_u64(2 * width, a << width | b));
            }
        }
    }
}

#[test]
fn division_identity_holds_at_every_size() {
    let mut rng = Rng(7);
    for width in [63, 64, 65, 127, 128, 129, 192, 300, 513] {
        for _ in 0..40 {
            let (a, b) = (rng.bv(width), rng.bv(width));
            assert_eq!(a.udiv(&b).mul(&b).add(&a.urem(&b)), a);
            assert_eq!(a.sub(&b).add(&b), a);
            assert_eq!(a.neg().neg(), a);
            assert_eq!(a.sdiv(&b).mul(&b).add(&a.srem(&b)), a);
            assert_eq!(a.bitreverse().bitreverse(), a);
            assert_eq!(a.rotl_by(5).rotl_by(width - 5), a);
            assert_eq!(a.cmp(&b), a.limbs().iter().rev().cmp(b.limbs().iter().rev()));
        }
    }
}

#[test]
fn wide_arithmetic_agrees_with_inline_arithmetic() {
    let mut rng = Rng(99);
    for _ in 0..300 {
        let (a, b) = (rng.bv(100), rng.bv(100));
        let (x, y) = (a.zext(260), b.zext(260));
        assert_eq!(x.add(&y).extract(99, 0), a.add(&b));
        assert_eq!(x.mul(&y).extract(99, 0), a.mul(&b));
        assert_eq!(x.sub(&y).extract(99, 0), a.sub(&b));
        if !b.is_zero() {
            assert_eq!(x.udiv(&y).extract(99, 0), a.udiv(&b));
            assert_eq!(x.urem(&y).extract(99, 0), a.urem(&b));
        }
        assert_eq!(a.sext(260).slt(&b.sext(260)), a.slt(&b));
        assert_eq!(a.sext(260).sdiv(&b.sext(260)).extract(99, 0), a.sdiv(&b));
        assert_eq!(x.shl_by(70).lshr_by(70), x);
        assert_eq!(a.sext(260).shl_by(130).ashr_by(130), a.sext(260));
    }
}

#[test]
fn text_goes_both_ways() {
    assert_eq!(Bv::from_u64(8, 0x2a).to_string(), "#x2a");
    assert_eq!(Bv::from_u64(3, 5).to_string(), "#b101");
    assert_eq!(Bv::from_u64(1, 1).to_string(), "#b1");
    let mut rng = Rng(3);
    for width in [1, 4, 7, 64, 66, 128, 131, 400] {
        for _ in 0..20 {
            let a = rng.bv(width);
            assert_eq!(Bv::parse(&a.to_string()), Ok(a.clone()));
            assert_eq!(Bv::parse_decimal(width, &a.to_decimal()), Ok(a));
        }
    }
    assert!(Bv::parse("#xg").is_err() && Bv::parse("#b").is_err() && Bv::parse("12").is_err());
    assert!(Bv::parse_decimal(4, "16").is_err() && Bv::parse_decimal(4, "15").is_ok());
}

#[test]
fn counting_and_swapping() {
    let a = Bv::from_u64(32, 0x0012_3400);
    assert_eq!((a.ctpop(), a.ctlz(), a.cttz()), (5, 11, 10));
    assert_eq!(a.bswap(), Bv::from_u64(32, 0x0034_1200));
    assert_eq!((Bv::zero(9).ctlz(), Bv::zero(9).cttz()), (9, 9));
    assert_eq!(Bv::from_u64(40, 1 << 17).log2_exact(), Some(17));
    assert_eq!(Bv::from_i64(200, -3).to_i64(), Some(-3));
    assert_eq!(Bv::min_signed(200).to_i128(), None);
}

#[test]
fn a_value_is_small() {
    assert_eq!(size_of::<Bv>(), 24);
}
