package org.amo.lab.blackbox.corba;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import org.omg.CORBA.Any;
import org.omg.CORBA.TCKind;
import org.omg.CORBA.TypeCode;
import org.omg.CORBA.portable.IDLEntity;
import org.omg.CORBA.portable.InputStream;

/** Values of IDL as text, by {@code org.omg} and reflection alone, so that values of any ORB can be compared. */
final class MatrixText {
    private final IdentityHashMap<Object, Integer> seen = new IdentityHashMap<>();
    private final StringBuilder text = new StringBuilder();

    private MatrixText() {}

    static String of(Object value) {
        MatrixText writer = new MatrixText();
        try {
            writer.write(value);
        } catch (ReflectiveOperationException | org.omg.CORBA.UserException e) {
            throw new IllegalStateException(e);
        }
        return writer.text.toString();
    }

    private void write(Object value) throws ReflectiveOperationException, org.omg.CORBA.UserException {
        if (value == null) {
            text.append("nil");
        } else if (value instanceof Any any) {
            any(any);
        } else if (value instanceof TypeCode type) {
            text.append(type.kind().value());
        } else if (value instanceof byte[] bytes && bytes.length > 100) {
            text.append(bytes.length).append(" bytes ").append(Arrays.hashCode(bytes));
        } else if (value.getClass().isArray()) {
            text.append('[');
            for (int i = 0; i < Array.getLength(value); i++) {
                write(Array.get(value, i));
                text.append(' ');
            }
            text.append(']');
        } else if (value instanceof org.omg.CORBA.Object) {
            text.append("reference");
        } else if (value instanceof IDLEntity || value instanceof org.omg.CORBA.portable.ValueBase) {
            entity(value);
        } else {
            text.append(value);
        }
    }

    private void entity(Object value) throws ReflectiveOperationException, org.omg.CORBA.UserException {
        // Values may be shared and may be cycles; that is part of what they are.
        Integer before = seen.putIfAbsent(value, seen.size());
        if (before != null) {
            text.append('^').append(before);
            return;
        }
        text.append('{');
        List<Field> fields = fields(value.getClass());
        if (fields.isEmpty()) {
            union(value);
        }
        for (Field field : fields) {
            text.append(field.getName()).append('=');
            write(field.get(value));
            text.append(' ');
        }
        text.append('}');
    }

    /** The state of a struct or value: an enumeration has its number, a union nothing that it would show. */
    private static List<Field> fields(Class<?> type) {
        List<Field> fields = new ArrayList<>();
        for (Class<?> level = type; level != Object.class && level != null; level = level.getSuperclass()) {
            for (Field field : level.getDeclaredFields()) {
                int modifiers = field.getModifiers();
                if (!Modifier.isStatic(modifiers)
                        && (Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers))) {
                    field.setAccessible(true);
                    fields.add(field);
                }
            }
        }
        fields.sort(Comparator.comparing(Field::getName));
        return fields;
    }

    private void union(Object value) throws ReflectiveOperationException, org.omg.CORBA.UserException {
        List<Method> methods = new ArrayList<>(List.of(value.getClass().getDeclaredMethods()));
        methods.sort(Comparator.comparing(Method::getName));
        for (Method method : methods) {
            if (method.getParameterCount() == 0
                    && method.getReturnType() != void.class
                    && Modifier.isPublic(method.getModifiers())
                    && !Modifier.isStatic(method.getModifiers())) {
                try {
                    Object part = method.invoke(value);
                    text.append(method.getName()).append('=');
                    write(part);
                    text.append(' ');
                } catch (InvocationTargetException e) {
                    // Another branch than the present one says BAD_OPERATION.
                    if (!(e.getCause() instanceof org.omg.CORBA.BAD_OPERATION)) {
                        throw e;
                    }
                }
            }
        }
    }

    private void any(Any any) throws ReflectiveOperationException, org.omg.CORBA.UserException {
        TypeCode type = any.type();
        int kind = type.kind().value();
        text.append("any:").append(kind).append(':');
        if (kind == TCKind._tk_string) {
            write(any.extract_string());
        } else if (kind == TCKind._tk_wstring) {
            write(any.extract_wstring());
        } else if (kind == TCKind._tk_long) {
            write(any.extract_long());
        } else if (kind == TCKind._tk_any) {
            write(any.extract_any());
        } else if (kind == TCKind._tk_TypeCode) {
            TypeCode inner = any.extract_TypeCode();
            text.append(inner.id()).append(inner.member_count());
        } else if (kind == TCKind._tk_objref) {
            write(any.extract_Object());
        } else if (kind == TCKind._tk_fixed) {
            write(any.extract_fixed());
        } else if (kind != TCKind._tk_null && kind != TCKind._tk_void) {
            String name = type.id().replaceAll("^IDL:matrix/(\\w+):1.0$", "matrix.$1Helper");
            write(Class.forName(name).getMethod("read", InputStream.class).invoke(null, any.create_input_stream()));
        }
    }
}
