package org.amo.lab.blackbox.corba;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import matrix.AnysHolder;
import matrix.Base;
import matrix.BaseHolder;
import matrix.BlobHolder;
import matrix.Broken;
import matrix.Chain;
import matrix.ChainHolder;
import matrix.Color;
import matrix.ColorHolder;
import matrix.Detailed;
import matrix.Echoes;
import matrix.EchoesHolder;
import matrix.Empty;
import matrix.Everything;
import matrix.EverythingHelper;
import matrix.EverythingPOA;
import matrix.FewHolder;
import matrix.FlagsHolder;
import matrix.GridHolder;
import matrix.LongsHolder;
import matrix.LongsListHolder;
import matrix.MoneyHolder;
import matrix.Nested;
import matrix.NestedHolder;
import matrix.Shape;
import matrix.ShapeHolder;
import matrix.StringsHolder;
import matrix.Term;
import matrix.TermHolder;
import matrix.Tree;
import matrix.TreeHolder;
import matrix.Wide;
import matrix.WideHolder;
import matrix.WideStringsHolder;
import matrix.inner.Deep;
import matrix.inner.DeepHolder;
import org.omg.CORBA.Any;
import org.omg.CORBA.AnyHolder;
import org.omg.CORBA.BAD_CONTEXT;
import org.omg.CORBA.BooleanHolder;
import org.omg.CORBA.ByteHolder;
import org.omg.CORBA.CharHolder;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.DoubleHolder;
import org.omg.CORBA.FloatHolder;
import org.omg.CORBA.IntHolder;
import org.omg.CORBA.LongHolder;
import org.omg.CORBA.ORB;
import org.omg.CORBA.ObjectHolder;
import org.omg.CORBA.ShortHolder;
import org.omg.CORBA.StringHolder;
import org.omg.PortableServer.Current;
import org.omg.PortableServer.CurrentHelper;

/**
 * An ordinary servant with a skeleton. It asks the ORB's POA Current who it is, and not itself, so that it also works
 * behind a tie.
 */
public class MatrixServant extends EverythingPOA {
    private final ORB orb;
    private byte[] history = {};
    private String title = "";
    private String wideTitle = "";
    private int total;
    private int calls;

    public MatrixServant(ORB orb) {
        this.orb = orb;
    }

    /** Everything that happened, in its order, as one digest. */
    private void called(String what) {
        calls++;
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(history);
            history = digest.digest(what.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public String title() {
        called("title");
        return title;
    }

    @Override
    public void title(String value) {
        called("title " + value);
        title = value;
    }

    @Override
    public String wideTitle() {
        called("wideTitle");
        return wideTitle;
    }

    @Override
    public void wideTitle(String value) {
        called("wideTitle " + value);
        wideTitle = value;
    }

    @Override
    public int callCount() {
        return calls;
    }

    @Override
    public void note(String text) {
        called("note " + text);
    }

    @Override
    public int count(int by) {
        called("count " + by);
        total += by;
        return total;
    }

    @Override
    public int slow(int by, int millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return count(by);
    }

    @Override
    public String state() {
        return "total=" + total + " calls=" + calls + " title=" + title + " history="
                + HexFormat.of().formatHex(history, 0, Math.min(8, history.length));
    }

    @Override
    public void nothing() {
        called("nothing");
    }

    @Override
    public void fail(int code, String why) throws Broken, Empty {
        called("fail " + code + why);
        if (code == 0) {
            throw new Empty();
        }
        throw new Broken(code, why, new int[] {code, code + 1});
    }

    @Override
    public void failWithAny(Any detail) throws Detailed {
        called("failWithAny");
        throw new Detailed(detail);
    }

    @Override
    public void failBySystemException(int minor) {
        called("failBySystemException " + minor);
        throw new BAD_CONTEXT("of no importance", minor, CompletionStatus.COMPLETED_YES);
    }

    @Override
    public void failByRuntimeException() {
        called("failByRuntimeException");
        throw new IndexOutOfBoundsException("of no importance");
    }

    @Override
    public String whoAmI() {
        called("whoAmI");
        try {
            return new String(current().get_object_id(), StandardCharsets.UTF_8) + "@"
                    + current().get_POA().the_name();
        } catch (org.omg.CORBA.UserException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Everything myself() {
        called("myself");
        try {
            return EverythingHelper.narrow(current().get_reference());
        } catch (org.omg.CORBA.UserException e) {
            throw new IllegalStateException(e);
        }
    }

    private Current current() throws org.omg.CORBA.UserException {
        return CurrentHelper.narrow(orb.resolve_initial_references("POACurrent"));
    }

    @Override
    public int mix(byte o, int l, String s, double d) {
        called("mix");
        return o + l + s.length() + (int) d;
    }

    @Override
    public boolean aBoolean(boolean a, BooleanHolder b, BooleanHolder c) {
        called("aBoolean");
        boolean result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public byte anOctet(byte a, ByteHolder b, ByteHolder c) {
        called("anOctet");
        byte result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public char aChar(char a, CharHolder b, CharHolder c) {
        called("aChar");
        char result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public char aWchar(char a, CharHolder b, CharHolder c) {
        called("aWchar");
        char result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public short aShort(short a, ShortHolder b, ShortHolder c) {
        called("aShort");
        short result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public short aUshort(short a, ShortHolder b, ShortHolder c) {
        called("aUshort");
        short result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public int aLong(int a, IntHolder b, IntHolder c) {
        called("aLong");
        int result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public int aUlong(int a, IntHolder b, IntHolder c) {
        called("aUlong");
        int result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public long aLongLong(long a, LongHolder b, LongHolder c) {
        called("aLongLong");
        long result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public long aUlongLong(long a, LongHolder b, LongHolder c) {
        called("aUlongLong");
        long result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public float aFloat(float a, FloatHolder b, FloatHolder c) {
        called("aFloat");
        float result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public double aDouble(double a, DoubleHolder b, DoubleHolder c) {
        called("aDouble");
        double result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public String aString(String a, StringHolder b, StringHolder c) {
        called("aString");
        String result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public String aBrief(String a, StringHolder b, StringHolder c) {
        called("aBrief");
        String result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public String aWstring(String a, StringHolder b, StringHolder c) {
        called("aWstring");
        String result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public BigDecimal aMoney(BigDecimal a, MoneyHolder b, MoneyHolder c) {
        called("aMoney");
        BigDecimal result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public Color aColor(Color a, ColorHolder b, ColorHolder c) {
        called("aColor");
        Color result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public Nested aNested(Nested a, NestedHolder b, NestedHolder c) {
        called("aNested");
        Nested result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public Deep aDeep(Deep a, DeepHolder b, DeepHolder c) {
        called("aDeep");
        Deep result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public Tree aTree(Tree a, TreeHolder b, TreeHolder c) {
        called("aTree");
        Tree result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public boolean[] theFlags(boolean[] a, FlagsHolder b, FlagsHolder c) {
        called("theFlags");
        boolean[] result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public int[] theLongs(int[] a, LongsHolder b, LongsHolder c) {
        called("theLongs");
        int[] result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public double[] theFew(double[] a, FewHolder b, FewHolder c) {
        called("theFew");
        double[] result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public byte[] aBlob(byte[] a, BlobHolder b, BlobHolder c) {
        called("aBlob");
        byte[] result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public String[] theStrings(String[] a, StringsHolder b, StringsHolder c) {
        called("theStrings");
        String[] result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public String[] theWideStrings(String[] a, WideStringsHolder b, WideStringsHolder c) {
        called("theWideStrings");
        String[] result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public int[][] theLists(int[][] a, LongsListHolder b, LongsListHolder c) {
        called("theLists");
        int[][] result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public int[][] aGrid(int[][] a, GridHolder b, GridHolder c) {
        called("aGrid");
        int[][] result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public Shape aShape(Shape a, ShapeHolder b, ShapeHolder c) {
        called("aShape");
        Shape result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public Wide aWide(Wide a, WideHolder b, WideHolder c) {
        called("aWide");
        Wide result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public Term aTerm(Term a, TermHolder b, TermHolder c) {
        called("aTerm");
        Term result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public Any anAny(Any a, AnyHolder b, AnyHolder c) {
        called("anAny");
        Any result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public Any[] theAnys(Any[] a, AnysHolder b, AnysHolder c) {
        called("theAnys");
        Any[] result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public Chain aChain(Chain a, ChainHolder b, ChainHolder c) {
        called("aChain");
        Chain result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public Base aBase(Base a, BaseHolder b, BaseHolder c) {
        called("aBase");
        Base result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public org.omg.CORBA.Object anObject(org.omg.CORBA.Object a, ObjectHolder b, ObjectHolder c) {
        called("anObject");
        org.omg.CORBA.Object result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public Echoes anEchoes(Echoes a, EchoesHolder b, EchoesHolder c) {
        called("anEchoes");
        Echoes result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }
}
