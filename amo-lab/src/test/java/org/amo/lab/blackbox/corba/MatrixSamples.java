package org.amo.lab.blackbox.corba;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import matrix.Broken;
import matrix.BrokenHelper;
import matrix.Chain;
import matrix.ChainHelper;
import matrix.Color;
import matrix.DerivedHelper;
import matrix.Everything;
import matrix.Nested;
import matrix.NestedHelper;
import matrix.Point;
import matrix.Shape;
import matrix.Term;
import matrix.TermHelper;
import matrix.Tree;
import matrix.TreeHelper;
import matrix.Wide;
import matrix.WideHelper;
import matrix.inner.Deep;
import org.omg.CORBA.Any;
import org.omg.CORBA.ORB;
import org.omg.CORBA.TypeCode;
import org.omg.CORBA.portable.OutputStream;

/** For each echo the values that a client sends: neighbours are in and inout of one call. */
final class MatrixSamples {
    /** More than any buffer of an ORB, so that the ones that fragment do. */
    private static final int LARGE_BYTES = 3_000_000;

    private static final String BEYOND_THE_BASIC_PLANE = "\ud83d\ude00 and \ud842\udfb7";

    private final ORB orb;

    private MatrixSamples(ORB orb) {
        this.orb = orb;
    }

    static Map<String, List<?>> of(ORB orb, Everything target, boolean large) {
        return new MatrixSamples(orb).all(target, large);
    }

    private Map<String, List<?>> all(Everything target, boolean large) {
        Map<String, List<?>> samples = new TreeMap<>();
        samples.put("aBoolean", List.of(true, false));
        samples.put("anOctet", List.of((byte) -56, (byte) 3));
        // One that is one byte in any code set that two ORBs may agree on.
        samples.put("aChar", List.of('x', '~'));
        samples.put("aWchar", List.of('\u4e2d', '\u20ac', 'w'));
        samples.put("aShort", List.of(Short.MIN_VALUE, Short.MAX_VALUE));
        samples.put("aUshort", List.of((short) -1, (short) 1));
        samples.put("aLong", List.of(Integer.MIN_VALUE, Integer.MAX_VALUE));
        samples.put("aUlong", List.of(-1, 1));
        samples.put("aLongLong", List.of(Long.MIN_VALUE, Long.MAX_VALUE));
        samples.put("aUlongLong", List.of(-1L, 1L));
        samples.put("aFloat", List.of(Float.NaN, Float.MIN_VALUE, Float.POSITIVE_INFINITY));
        samples.put("aDouble", List.of(Double.NEGATIVE_INFINITY, Math.PI, -0.0));
        samples.put("aString", List.of("", "a", "ab", "abc", "abcd", "\u00e9t\u00e9"));
        samples.put("aBrief", List.of("1234567", ""));
        samples.put("aWstring", List.of("", "gr\u00fc\u00dfe \u20ac", BEYOND_THE_BASIC_PLANE, "\u4e2d\u6587"));
        samples.put("aMoney", List.of(new BigDecimal("-12345678.90"), new BigDecimal("0.01")));
        samples.put("aColor", List.of(Color.BLUE, Color.RED));
        samples.put("aNested", List.of(nested("in", 2), nested("inout", 0)));
        samples.put("aDeep", List.of(new Deep(Color.GREEN, shape("text")), new Deep(Color.RED, shape(5))));
        samples.put("aTree", List.of(tree("root", tree("left", tree("leaf")), tree("right")), tree("alone")));
        samples.put("theFlags", List.of(new boolean[] {true, false, true}, new boolean[0]));
        samples.put("theLongs", List.of(new int[] {1, -1, 7}, new int[0]));
        samples.put("theFew", List.of(new double[] {1, 2, 3, 4}, new double[] {-1.5}));
        samples.put("aBlob", large ? List.of(blob(LARGE_BYTES), blob(1)) : List.of(blob(1), blob(20_000)));
        samples.put("theStrings", List.of(new String[] {"one", "", "three"}, new String[0]));
        samples.put("theWideStrings", List.of(new String[] {"", BEYOND_THE_BASIC_PLANE, "w"}, new String[] {"\u20ac"}));
        samples.put("theLists", List.of(new int[][] {{1}, {}, {2, 3}}, new int[][] {{}}));
        samples.put("aGrid", List.of(new int[][] {{1, 2, 3}, {4, 5, 6}}, new int[][] {{-1, -2, -3}, {-4, -5, -6}}));
        samples.put("aShape", List.of(shape(42), shape(nested("in a union", 1)), shape("default")));
        samples.put("aWide", List.of(wide("w\u20acde"), wide(1, 2, 3), wide("again")));
        samples.put("aTerm", List.of(term(term(1.5), term(term(-2)), term()), term(4)));
        samples.put("anAny", anys(target));
        samples.put("theAnys", List.of(anys(target).toArray(new Any[0]), new Any[0]));
        samples.put("aChain", List.of(ring("first", "second", "third"), MatrixValues.chain("alone")));
        samples.put("aBase", List.of(MatrixValues.derived(7, "w\u20ac", 1, 2), MatrixValues.base(-7)));
        samples.put("anObject", List.of(target, target));
        samples.put("anEchoes", List.of(target, target));
        return samples;
    }

    private List<Any> anys(Everything target) {
        Any empty = orb.create_any();
        Any text = orb.create_any();
        text.insert_string("text");
        Any wide = orb.create_any();
        wide.insert_wstring(BEYOND_THE_BASIC_PLANE);
        Any inAnother = orb.create_any();
        inAnother.insert_any(wide);
        Any struct = any(NestedHelper.type(), out -> NestedHelper.write(out, nested("in an any", 2)));
        Any reference = orb.create_any();
        reference.insert_Object(target);
        Any type = orb.create_any();
        type.insert_TypeCode(NestedHelper.type());
        Any recursiveType = orb.create_any();
        recursiveType.insert_TypeCode(TreeHelper.type());
        Any recursive = any(TreeHelper.type(), out -> TreeHelper.write(out, tree("in an any", tree("below"))));
        Any union = any(WideHelper.type(), out -> WideHelper.write(out, wide("in an any")));
        Any recursiveUnion = any(MatrixTypes.term(orb), out -> TermHelper.write(out, term(term(1), term())));
        Broken broken = new Broken(1, "inserted", new int[] {3});
        Any exception = any(BrokenHelper.type(), out -> BrokenHelper.write(out, broken));
        Any value = any(ChainHelper.type(), out -> ChainHelper.write(out, ring("a", "b")));
        Any derived = any(DerivedHelper.type(), out -> DerivedHelper.write(out, MatrixValues.derived(1, "d")));
        Any number = orb.create_any();
        number.insert_long(-1);
        return List.of(
                empty,
                text,
                inAnother,
                struct,
                reference,
                type,
                recursiveType,
                recursive,
                union,
                recursiveUnion,
                exception,
                value,
                derived,
                number);
    }

    private Any any(TypeCode type, Consumer<OutputStream> content) {
        return any(orb, type, content);
    }

    /** Not the insert of a helper: what JacORB's compiler makes of it leaves an Any of GlassFish's empty. */
    static Any any(ORB orb, TypeCode type, Consumer<OutputStream> content) {
        Any any = orb.create_any();
        OutputStream out = any.create_output_stream();
        content.accept(out);
        any.read_value(out.create_input_stream(), type);
        return any;
    }

    static Nested nested(String name, int points) {
        Point[] path = new Point[points];
        for (int i = 0; i < points; i++) {
            path[i] = new Point((byte) i, i / 3.0, 1L << (40 + i));
        }
        return new Nested(name, new Point((byte) 9, -0.5, Long.MIN_VALUE), path);
    }

    private static Tree tree(String label, Tree... below) {
        return new Tree(label, below);
    }

    private static byte[] blob(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i * 31);
        }
        return bytes;
    }

    private static Shape shape(Object content) {
        Shape shape = new Shape();
        if (content instanceof Integer number) {
            shape.number(number);
        } else if (content instanceof Nested nested) {
            shape.body(nested);
        } else {
            shape.text(content.toString());
        }
        return shape;
    }

    private static Wide wide(String text) {
        Wide wide = new Wide();
        wide.text(2, text);
        return wide;
    }

    private static Wide wide(int... numbers) {
        Wide wide = new Wide();
        wide.numbers(numbers);
        return wide;
    }

    private static Term term(double value) {
        Term term = new Term();
        term.value(value);
        return term;
    }

    private static Term term(Term... parts) {
        Term term = new Term();
        term.parts(parts);
        return term;
    }

    private static Chain ring(String... labels) {
        Chain first = MatrixValues.chain(labels[0]);
        Chain last = first;
        for (String label : Arrays.asList(labels).subList(1, labels.length)) {
            last.next = MatrixValues.chain(label);
            last = last.next;
        }
        last.next = first;
        return first;
    }
}
