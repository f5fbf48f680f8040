//! Simplifications that users count on.

use heddle_sat::{Binary, Relation, Term, Terms};

/// Three words and three truths.
fn setting() -> (Terms, [Term; 3], [Term; 3]) {
    let mut terms = Terms::new();
    let words = [0; 3].map(|_| terms.variable(32));
    let truths = [0; 3].map(|_| terms.variable(1));
    (terms, words, truths)
}

#[test]
fn identities() {
    let (mut t, [x, y, _], _) = setting();
    let [zero, one, ones] = [0, 1, u64::MAX].map(|bits| t.constant(bits, 32));
    use Binary::*;
    for (op, b, result) in [
        (Add, zero, x),
        (Sub, zero, x),
        (Sub, x, zero),
        (Mul, one, x),
        (Mul, zero, zero),
        (UDiv, one, x),
        (SDiv, one, x),
        (URem, one, zero),
        (SRem, one, zero),
        (Shl, zero, x),
        (LShr, zero, x),
        (AShr, zero, x),
        (And, x, x),
        (And, ones, x),
        (And, zero, zero),
        (Or, x, x),
        (Or, zero, x),
        (Or, ones, ones),
        (Xor, x, zero),
        (Xor, zero, x),
    ] {
        assert_eq!(t.binary(op, x, b), result, "{op:?}");
    }
    for op in [Add, Mul, And, Or, Xor] {
        assert_eq!(t.binary(op, x, y), t.binary(op, y, x), "{op:?}");
    }
}

#[test]
fn sums_gather_their_constants() {
    let (mut t, [x, y, _], _) = setting();
    let [three, four, seven] = [3, 4, 7].map(|bits| t.constant(bits, 32));
    let x3 = t.binary(Binary::Add, x, three);
    let x7 = t.binary(Binary::Add, x, seven);
    assert_eq!(t.binary(Binary::Add, x3, four), x7);
    assert_eq!(t.binary(Binary::Sub, x7, four), x3);
    assert_eq!(t.binary(Binary::Sub, x7, x), seven);
    assert_eq!(t.binary(Binary::Sub, x7, x3), four);
    let (y3, y7) = (t.binary(Binary::Add, y, three), t.binary(Binary::Add, y, seven));
    assert_eq!(t.binary(Binary::Add, x3, y7), t.binary(Binary::Add, x7, y3));
    assert_eq!(t.equals(x3, y3), t.equals(x, y));
    assert_eq!(t.equals(x3, seven), t.equals(x, four));
    assert_eq!(t.equals(x3, x7), t.truth(false));
}

#[test]
fn booleans_are_absorbed() {
    let (mut t, _, [a, b, c]) = setting();
    let (a_or_b, a_and_b) = (t.or(a, b), t.and(a, b));
    assert_eq!(t.and(a, a_or_b), a);
    assert_eq!(t.or(a, a_and_b), a);
    assert_eq!(t.and(a, a_and_b), a_and_b);
    let not_a = t.not(a);
    assert_eq!(t.and(a, not_a), t.truth(false));
    assert_eq!(t.or(a, not_a), t.truth(true));
    assert_eq!(t.and(not_a, a_and_b), t.truth(false));
    assert_eq!(t.and(not_a, a_or_b), t.and(not_a, b));
    assert_eq!(t.and_all(&[a, b, not_a, c]), t.truth(false));
    assert_eq!(t.or_all(&[a, b, not_a, c]), t.truth(true));
    assert_eq!(t.and_all(&[]), t.truth(true));
    assert_eq!(t.implies(a, a), t.truth(true));
}

#[test]
fn selects() {
    let (mut t, [x, y, z], [c, d, _]) = setting();
    let [one, zero] = [true, false].map(|b| t.truth(b));
    let not_c = t.not(c);
    assert_eq!(t.select(c, one, zero), c);
    assert_eq!(t.select(c, zero, one), not_c);
    assert_eq!(t.select(c, x, x), x);
    assert_eq!(t.select(not_c, x, y), t.select(c, y, x));
    let inner = t.select(c, x, y);
    assert_eq!(t.select(c, inner, z), t.select(c, x, z));
    assert_eq!(t.select(c, z, inner), t.select(c, z, y));
    let inner = t.select(d, x, y);
    let (either, both) = (t.or(c, d), t.and(c, d));
    assert_eq!(t.select(c, x, inner), t.select(either, x, y));
    assert_eq!(t.select(c, inner, y), t.select(both, x, y));
}

#[test]
fn comparisons_of_selects_with_constants() {
    let (mut t, [x, _, _], [c, d, _]) = setting();
    let [two, three, four, five] = [2, 3, 4, 5].map(|bits| t.constant(bits, 32));
    let choice = t.select(c, two, three);
    assert_eq!(t.equals(choice, two), c);
    assert_eq!(t.equals(choice, three), t.not(c));
    assert_eq!(t.equals(choice, four), t.truth(false));
    assert_eq!(t.relate(Relation::ULt, choice, three), c);
    assert_eq!(t.relate(Relation::SLe, choice, three), t.truth(true));
    let chain = t.select(d, four, choice);
    let not_d = t.not(d);
    assert_eq!(t.equals(chain, two), t.and(not_d, c));
    assert_eq!(t.equals(chain, four), d);
    assert_eq!(t.equals(chain, five), t.truth(false));
    let open = t.select(d, two, x);
    let x_is_two = t.equals(x, two);
    assert_eq!(t.equals(open, two), t.or(d, x_is_two));
    let sum = t.binary(Binary::Add, choice, two);
    assert_eq!(t.equals(sum, four), c);
}

#[test]
fn bits_that_only_move() {
    let (mut t, [x, _, _], [c, _, _]) = setting();
    let bytes = [0, 8, 16, 24].map(|low| t.extract(x, low, 8));
    let low = t.concat(bytes[1], bytes[0]);
    let high = t.concat(bytes[3], bytes[2]);
    assert_eq!(t.concat(high, low), x);
    let left = t.concat(bytes[2], low);
    assert_eq!(t.concat(bytes[3], left), x);
    let wide = t.zero_extend(x, 64);
    assert_eq!(t.extract(wide, 0, 32), x);
    assert_eq!(t.extract(wide, 32, 32), t.constant(0, 32));
    assert_eq!(t.extract(wide, 8, 8), bytes[1]);
    let signed = t.sign_extend(low, 32);
    assert_eq!(t.sign_extend(signed, 64), t.sign_extend(low, 64));
    assert_eq!(t.extract(signed, 0, 8), bytes[0]);
    let mask = t.constant(0xff, 32);
    assert_eq!(t.and(x, mask), t.zero_extend(bytes[0], 32));
    let word = t.zero_extend(c, 32);
    let zero = t.constant(0, 32);
    assert_eq!(t.equals(word, zero), t.not(c));
    assert_eq!(t.relate(Relation::SLt, zero, word), c);
}

/// A word that was stored byte by byte under a condition reads as a word.
#[test]
fn bytes_of_selects_become_selects_of_words() {
    let (mut t, [x, y, z], [c, d, _]) = setting();
    let chain = |t: &mut Terms, low, width| {
        let [x, y, z] = [x, y, z].map(|word| t.extract(word, low, width));
        let inner = t.select(d, y, z);
        t.select(c, x, inner)
    };
    let bytes = [0, 8, 16, 24].map(|low| chain(&mut t, low, 8));
    let whole = bytes[1..].iter().fold(bytes[0], |low, &high| t.concat(high, low));
    assert_eq!(whole, chain(&mut t, 0, 32));
}

#[test]
fn extended_terms_are_compared_narrow() {
    let (mut t, [x, y, _], _) = setting();
    let (a, b) = (t.extract(x, 0, 8), t.extract(y, 0, 8));
    for (extend, below, above) in [
        (Terms::zero_extend as fn(&mut Terms, Term, u32) -> Term, Relation::ULt, 256),
        (Terms::sign_extend, Relation::SLt, 128),
    ] {
        let (wide_a, wide_b) = (extend(&mut t, a, 32), extend(&mut t, b, 32));
        assert_eq!(t.equals(wide_a, wide_b), t.equals(a, b));
        assert_eq!(t.relate(below, wide_a, wide_b), t.relate(below, a, b));
        assert_eq!(t.relate(Relation::SLt, wide_a, wide_b), t.relate(below, a, b));
        let (wide, narrow) = (t.constant(100, 32), t.constant(100, 8));
        assert_eq!(t.equals(wide_a, wide), t.equals(a, narrow));
        assert_eq!(t.relate(Relation::SLt, wide_a, wide), t.relate(below, a, narrow));
        assert_eq!(t.relate(Relation::SLt, wide, wide_a), t.relate(below, narrow, a));
        let beyond = t.constant(above, 32);
        assert_eq!(t.equals(wide_a, beyond), t.truth(false));
        assert_eq!(t.relate(Relation::SLt, wide_a, beyond), t.truth(true));
    }
}

#[test]
fn sets_of_values() {
    let (mut t, [x, _, _], [c, _, _]) = setting();
    let p = t.choice(&[8, 4, 8, 6], 32);
    assert_eq!(t.values(p), Some(&[4, 6, 8][..]));
    assert_eq!(t.values(x), None);
    assert_eq!(t.values(c), Some(&[0, 1][..]));
    let [ten, two, five, three] = [10, 2, 5, 3].map(|bits| t.constant(bits, 32));
    let sum = t.binary(Binary::Add, p, ten);
    assert_eq!(t.values(sum), Some(&[14, 16, 18][..]));
    assert_eq!(t.equals(p, five), t.truth(false));
    assert_eq!(t.relate(Relation::ULt, p, three), t.truth(false));
    assert_eq!(t.equals(p, sum), t.truth(false));
    let odd = t.binary(Binary::URem, p, two);
    assert_eq!(t.as_constant(odd), Some(0));
    let either = t.select(c, p, five);
    assert_eq!(t.values(either), Some(&[4, 5, 6, 8][..]));
    let masked = t.and(p, three);
    assert_eq!(t.values(masked), Some(&[0, 2][..]));
    let q = t.choice(&[1, 2], 32);
    let pair = t.concat(q, p);
    assert_eq!(t.values(pair).map(<[u64]>::len), Some(6));
    assert_eq!(t.choice(&[3, 3], 32), three);
}
