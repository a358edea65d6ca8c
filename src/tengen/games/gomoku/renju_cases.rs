//! Positions with known forbidden moves of Renju: the test collection of the engine AlphaGomoku (M.
//! Kozarzewski and M. Fontan, 2021), as stones and points.

use super::tests::forbidden_on;

/// A 15x15 position; points are a letter from the left and a number from the top, `a0` in the
/// corner.
struct Case {
    name: &'static str,
    black: &'static str,
    white: &'static str,
    forbidden: &'static str,
    allowed: &'static str,
}

const CASES: [Case; 24] = [
    Case {
        name: "win in1",
        black: "a1 a2 a3 a4",
        white: "",
        forbidden: "",
        allowed: "a0 a5",
    },
    Case {
        name: "overline",
        black: "a1 a2 a3 a4 a6",
        white: "",
        forbidden: "a5",
        allowed: "a0",
    },
    Case {
        name: "win inside overline",
        black: "a1 a2 a3 a4 b5 c5 d5 e5 a6",
        white: "",
        forbidden: "",
        allowed: "a0 a5",
    },
    Case {
        name: "four and four",
        black: "j0 m0 n0 c1 e1 f1 m2 d3 n3 d4 h4 i4 j4 o4 d5 k5 a6 k6 a7 k7 f9 h9 j9 l9 a10 a12 a13 f14 g14 h14 l14 m14 n14",
        white: "g1 g4 d6 k8 a14",
        forbidden: "k0 d1 k4 a9 i9 j14",
        allowed: "",
    },
    Case {
        name: "four and free three",
        black: "k1 m1 c2 d2 l2 b3 d3 l3 d4 l4 f6 g6 h7 h8 h9 a10 l10 k11 e12 f12 l12 m12 n12 d13 e14",
        white: "i1 o1 d5 l5 h10 o12",
        forbidden: "",
        allowed: "d1 l1 h6 c12 j12",
    },
    Case {
        name: "three and three",
        black: "c2 e2 k2 n2 d3 m3 d4 m4 i5 g7 h7 h8 c10 n10 d11 f11 m11 d13 i13 j13",
        white: "b2",
        forbidden: "m2 h6 e12 k13",
        allowed: "d2",
    },
    Case {
        name: "dead three",
        black: "m2 g5 h5 i6 h7",
        white: "f9",
        forbidden: "",
        allowed: "j5",
    },
    Case {
        name: "forbidden patterns",
        black: "o1 e2 a3 e3 f3 i3 c4 l4 n4 k5 n5 j6 n6 c10 l10 c11 f11 e12 k12 m12 l13",
        white: "i7 n7 k10 m10 k11 m11 j13 k13 m13 n13 g14 k14 m14",
        forbidden: "d11 l12",
        allowed: "n2 d3",
    },
    Case {
        name: "two death ends",
        black: "i6 k6 h7 j7 l7 h8 j8 l8 h9 l9",
        white: "g3 h4 i5 i7 k7 g8 i8 k8 m8 h10 l10",
        forbidden: "",
        allowed: "j6",
    },
    Case {
        name: "chained forbidden",
        black: "e4 k4 e5 k5 c6 d6 l6 m6 f7 j7 g8 i8 h10 h11 g12 i12 e13 f13 g13 i13 j13 k13",
        white: "e3 k3",
        forbidden: "d5 l5 e6 k6 h9 f12 j12 h13",
        allowed: "h12",
    },
    Case {
        name: "chained forbidden",
        black: "e4 k4 e5 k5 c6 d6 l6 m6 f7 j7 g8 i8 h10 h11 g12 i12 e13 f13 g13 i13 j13 k13",
        white: "k3",
        forbidden: "h12",
        allowed: "",
    },
    Case {
        name: "legal move",
        black: "i2 f3 i3 i4 g5 j5 g6 j6 h7 j7 k7 i8 k9",
        white: "h2 h3 g4 f5 h5 h6 i6 k6 l6 g7 i7 j8 i9",
        forbidden: "",
        allowed: "h4",
    },
    Case {
        name: "no33 blocked by44",
        black: "g6 e7 h7 e8 e9 f9 g9 e10",
        white: "j4 i5 e6 f6 h6 i6 f8 e11",
        forbidden: "",
        allowed: "g7",
    },
    Case {
        name: "multiple forks",
        black: "m0 b1 k1 m1 o1 l2 m2 n2 c3 e3 c4 e4 l4 b5 o5 m9 b10 c10 e10 k10 n10 d11 e11 l11 m11 d12 f12 k12 d13 j13",
        white: "l0 n0 l1 n1 k2 o2 d4 c5 e5 f10 c11 f11 k11 n11 o11 c12 e12 l12 d14 i14",
        forbidden: "d3 m3 d10 m10",
        allowed: "",
    },
    Case {
        name: "win in fork",
        black: "m0 b1 k1 m1 o1 l2 m2 n2 a3 b3 c3 e3 c4 e4 l4 n4 b5 o5 n9 a10 b10 c10 e10 k10 n10 d11 e11 l11 m11 d12 f12 k12 d13 j13",
        white: "l0 n0 l1 n1 k2 o2 d4 c5 e5 f10 c11 f11 k11 n11 o11 c12 e12 l12 d14 i14",
        forbidden: "",
        allowed: "d3 m3 d10 m10",
    },
    Case {
        name: "forced forbidden",
        black: "i5 j6 k6 h7 h8 j8 k8",
        white: "h6 i6 i7 j7 l7 i8 h9",
        forbidden: "k7",
        allowed: "",
    },
    Case {
        name: "forced forbidden",
        black: "i5 j6 k6 h7 h8 j8 k8 k5",
        white: "h6 i6 i7 j7 l7 i8 h9 i10",
        forbidden: "",
        allowed: "k7",
    },
    Case {
        name: "forced forbidden",
        black: "i5 j6 k6 h7 h8 j8 k8 k5 i9",
        white: "h6 i6 i7 j7 l7 i8 h9 i10 m7",
        forbidden: "k7",
        allowed: "",
    },
    Case {
        name: "remove forbidden",
        black: "g4 f5 g5 e6 h6 i6 h7 j7 h8",
        white: "i4 g6 d7 f7 g7 i7 g8 k8 h9",
        forbidden: "h5",
        allowed: "",
    },
    Case {
        name: "remove forbidden",
        black: "g4 f5 g5 e6 h6 i6 h7 j7 h8 h3",
        white: "i4 g6 d7 f7 g7 i7 g8 k8 h9 i2",
        forbidden: "",
        allowed: "h5",
    },
    Case {
        name: "fake433",
        black: "d1 e2 b3 d3 e4 b5 d5 e5 c6 d6",
        white: "e1 f3 a5",
        forbidden: "",
        allowed: "c2 e6",
    },
    Case {
        name: "foul r2225",
        black: "i5 h6 j6 h7 g8 h8 f9 f11",
        white: "g3 g5 i6 g7 j8 h9 g10 d11",
        forbidden: "f8",
        allowed: "",
    },
    Case {
        name: "foul r2225",
        black: "i5 h6 j6 h7 g8 h8 f9 f11 i7",
        white: "g3 g5 i6 g7 j8 h9 g10 d11",
        forbidden: "",
        allowed: "f8",
    },
    Case {
        name: "foul r2225",
        black: "i5 h6 j6 h7 g8 h8 f9 f11 i7",
        white: "g3 g5 i6 g7 j8 h9 g10 d11 g9",
        forbidden: "f8",
        allowed: "",
    },
];

#[test]
fn what_is_forbidden_is_as_others_have_it() {
    for case in CASES {
        let found = forbidden_on(case.black, case.white);
        for (points, expected) in [(case.forbidden, true), (case.allowed, false)] {
            for point in points.split_whitespace() {
                assert_eq!(found.contains(point), expected, "{point}: {}", case.name);
            }
        }
    }
}
