//! Known values and the winners of their sums.

use super::*;

/// Zero, one, minus one, star, up, the switch of one and minus one.
fn samples(values: &mut Values) -> [Value; 6] {
    let [one, minus] = [1, -1].map(|n| values.integer(n));
    let star = values.position(vec![ZERO], vec![ZERO]);
    let up = values.position(vec![ZERO], vec![star]);
    let switch = values.position(vec![one], vec![minus]);
    [ZERO, one, minus, star, up, switch]
}

#[test]
fn known_values_are_found() {
    let mut values = Values::new();
    let [zero, one, minus, star, up, switch] = samples(&mut values);
    assert_eq!(values.number(one), Some(ONE));
    let half = values.position(vec![zero], vec![one]);
    assert_eq!(values.number(half), Some(ONE / 2));
    assert_eq!(values.add(half, half), one);
    assert_eq!(values.add(one, minus), zero);
    assert_eq!(values.add(star, star), zero);
    assert_eq!(values.add(switch, switch), zero);
    // {-5|} and {-3|3} are 0, {1|3} is 2: reversible options.
    let [five, three, plus] = [-5, -3, 3].map(|n| values.integer(n));
    assert_eq!(values.position(vec![five], vec![]), zero);
    assert_eq!(values.position(vec![three], vec![plus]), zero);
    assert_eq!(values.position(vec![one], vec![plus]), values.integer(2));
    // Up is positive, less than every positive number and confused with star.
    assert!(values.at_most(zero, up) && !values.at_most(up, zero));
    assert!(values.at_most(up, half));
    assert!(!values.at_most(up, star) && !values.at_most(star, up));
    // {0|*} + {0|*} + * = {0|up}: Siegel's up multiples.
    let two = values.add(up, up);
    let sum = values.add(two, star);
    assert_eq!(sum, values.position(vec![zero], vec![up]));
}

#[test]
fn who_wins_a_sum() {
    let mut values = Values::new();
    let [_, _, _, star, up, switch] = samples(&mut values);
    let mut check = |games: &[Value], number, black: bool, white: bool| {
        let mut first = |mover| values.first_wins(mover, games, number);
        let found = [first(Color::Black), first(Color::White)];
        assert_eq!(found, [black, white], "{games:?} + {number}/64");
    };
    check(&[], 0, false, false);
    check(&[], 1, true, false);
    check(&[star], 0, true, true);
    check(&[star, star], 0, false, false);
    check(&[star, star], 1, true, false);
    check(&[switch], 32, true, true);
    check(&[switch], -64, true, true);
    check(&[switch], -65, false, true);
    check(&[switch, switch, star], 0, true, true);
    check(&[up], 0, true, false);
    check(&[up, star], 0, true, true);
    check(&[up, up, star], 0, true, false);
    check(&[up], -1, false, true);
}

#[test]
fn hashes_do_not_depend_on_the_order_of_discovery() {
    let mut one = Values::new();
    let [.., up, switch] = samples(&mut one);
    let mut other = Values::new();
    other.integer(3);
    let half = other.integer(1);
    other.position(vec![ZERO], vec![half]);
    let [.., other_up, other_switch] = samples(&mut other);
    assert_ne!(switch, other_switch);
    assert_eq!(one.hash(up), other.hash(other_up));
    assert_eq!(one.hash(switch), other.hash(other_switch));
    assert_ne!(one.hash(up), one.hash(switch));
}
