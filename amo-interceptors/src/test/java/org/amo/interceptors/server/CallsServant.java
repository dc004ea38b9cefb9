package org.amo.interceptors.server;

import everything.BlobHolder;
import everything.Broken;
import everything.CallsPOA;
import everything.Chain;
import everything.ChainHolder;
import everything.Color;
import everything.ColorHolder;
import everything.Detailed;
import everything.LongsHolder;
import everything.MatrixHolder;
import everything.MoneyHolder;
import everything.Nested;
import everything.NestedHolder;
import everything.Shape;
import everything.ShapeHolder;
import everything.StringsHolder;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
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
import org.omg.CORBA.ObjectHolder;
import org.omg.CORBA.ShortHolder;
import org.omg.CORBA.StringHolder;

/**
 * An ordinary servant that has never heard of replication. Each echo returns its inout argument, copies its in
 * argument to inout and out.
 */
class CallsServant extends CallsPOA {
    private final List<String> journal = new CopyOnWriteArrayList<>();
    private String title = "";
    private String wideTitle = "";
    private int total;
    private int calls;

    List<String> journal() {
        return journal;
    }

    private void called(String what) {
        calls++;
        journal.add(what);
    }

    @Override
    public boolean aBoolean(boolean a, BooleanHolder b, BooleanHolder c) {
        called("aBoolean " + a);
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
    public int[] theLongs(int[] a, LongsHolder b, LongsHolder c) {
        called("theLongs");
        int[] result = b.value;
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
    public int[][] aMatrix(int[][] a, MatrixHolder b, MatrixHolder c) {
        called("aMatrix");
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
    public Any anAny(Any a, AnyHolder b, AnyHolder c) {
        called("anAny");
        Any result = b.value;
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
    public org.omg.CORBA.Object anObject(org.omg.CORBA.Object a, ObjectHolder b, ObjectHolder c) {
        called("anObject");
        org.omg.CORBA.Object result = b.value;
        b.value = a;
        c.value = a;
        return result;
    }

    @Override
    public String title() {
        called("get title");
        return title;
    }

    @Override
    public void title(String value) {
        called("set title " + value);
        title = value;
    }

    @Override
    public String wideTitle() {
        called("get wideTitle");
        return wideTitle;
    }

    @Override
    public void wideTitle(String value) {
        called("set wideTitle " + value);
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
    public void fail(int code, String why) throws Broken {
        called("fail " + code);
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
        throw new BAD_CONTEXT("at " + System.nanoTime(), minor, CompletionStatus.COMPLETED_YES);
    }

    @Override
    public void failByRuntimeException() {
        called("failByRuntimeException");
        throw new IndexOutOfBoundsException("at " + System.nanoTime());
    }

    @Override
    public void failByError() {
        called("failByError");
        throw new LinkageError("at " + System.nanoTime());
    }

    @Override
    public String whoAmI() {
        called("whoAmI");
        return new String(_object_id(), StandardCharsets.UTF_8) + "@" + _poa().the_name();
    }

    @Override
    public org.omg.CORBA.Object myself() {
        called("myself");
        return _this_object();
    }

    @Override
    public org.omg.CORBA.Object make(String id) {
        called("make " + id);
        try {
            byte[] objectId = id.getBytes(StandardCharsets.UTF_8);
            _poa().activate_object_with_id(objectId, new CallsServant());
            return _poa().id_to_reference(objectId);
        } catch (org.omg.CORBA.UserException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public int mix(byte o, int l, String s, double d) {
        called("mix");
        return o + l + s.length() + (int) d;
    }
}
