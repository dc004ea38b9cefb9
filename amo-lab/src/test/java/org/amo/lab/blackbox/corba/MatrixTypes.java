package org.amo.lab.blackbox.corba;

import java.lang.reflect.Method;
import java.util.Map;
import matrix.TermHelper;
import org.omg.CORBA.Any;
import org.omg.CORBA.ORB;
import org.omg.CORBA.TCKind;
import org.omg.CORBA.TypeCode;
import org.omg.CORBA.UnionMember;

/** The TypeCode of each echo, from the helper of its type where that tells it and by name where not. */
final class MatrixTypes {
    private static final Map<String, TCKind> BY_NAME = Map.ofEntries(
            Map.entry("aBoolean", TCKind.tk_boolean),
            Map.entry("anOctet", TCKind.tk_octet),
            Map.entry("aChar", TCKind.tk_char),
            Map.entry("aWchar", TCKind.tk_wchar),
            Map.entry("aShort", TCKind.tk_short),
            Map.entry("aUshort", TCKind.tk_ushort),
            Map.entry("aLong", TCKind.tk_long),
            Map.entry("aUlong", TCKind.tk_ulong),
            Map.entry("aLongLong", TCKind.tk_longlong),
            Map.entry("aUlongLong", TCKind.tk_ulonglong),
            Map.entry("aFloat", TCKind.tk_float),
            Map.entry("aDouble", TCKind.tk_double),
            Map.entry("aString", TCKind.tk_string),
            Map.entry("aWstring", TCKind.tk_wstring),
            Map.entry("anAny", TCKind.tk_any),
            Map.entry("anObject", TCKind.tk_objref));

    private MatrixTypes() {}

    static TypeCode typeOf(ORB orb, Method echo) {
        if (BY_NAME.containsKey(echo.getName())) {
            return orb.get_primitive_tc(BY_NAME.get(echo.getName()));
        }
        if (echo.getName().equals("aBrief")) {
            return orb.create_string_tc(matrix.LIMIT.value);
        }
        if (echo.getName().equals("aTerm")) {
            return term(orb);
        }
        try {
            String holder = echo.getParameterTypes()[1].getName();
            return (TypeCode) Class.forName(holder.replaceAll("Holder$", "Helper"))
                    .getMethod("type")
                    .invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What TermHelper.type() ought to be: JacORB's compiler makes one that calls itself for ever. */
    static TypeCode term(ORB orb) {
        Any whenTrue = orb.create_any();
        whenTrue.insert_boolean(true);
        Any whenFalse = orb.create_any();
        whenFalse.insert_boolean(false);
        TypeCode terms = orb.create_sequence_tc(0, orb.create_recursive_tc(TermHelper.id()));
        return orb.create_union_tc(TermHelper.id(), "Term", orb.get_primitive_tc(TCKind.tk_boolean), new UnionMember[] {
            new UnionMember("parts", whenTrue, terms, null),
            new UnionMember("value", whenFalse, orb.get_primitive_tc(TCKind.tk_double), null)
        });
    }
}
