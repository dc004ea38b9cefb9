package org.amo.interceptors.server;

import java.io.InvalidObjectException;
import java.io.Serializable;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.omg.CORBA.BAD_OPERATION;
import org.omg.CORBA.ORB;
import org.omg.CORBA.portable.ObjectImpl;

/**
 * Stands for a reference to a CORBA object in a servant's state. A stub itself would come back without its object, since the
 * field that leads there is transient, and each call would fail at the restored member alone.
 *
 * @param stub its class; null for the class of the ORB, of a reference that was not narrowed
 * @param ior the reference as a string, of the form IOR:
 */
record KeptReference(@Nullable Class<?> stub, String ior) implements Serializable {
    /** No other form: those of URLs would have the ORB read files or ask other hosts. */
    private static final Pattern IOR = Pattern.compile("IOR:(?:[0-9a-fA-F]{2})+");

    private static final String REMEDY =
            "; make the field transient, or offer get_state and set_state, or -Damo.stateCodec";

    /** @throws IllegalArgumentException in one line if it could not come back */
    static KeptReference of(ObjectImpl reference, Optional<ORB> orb) {
        Class<?> type = reference.getClass();
        ORB own;
        try {
            own = reference._orb();
        } catch (BAD_OPERATION e) {
            throw new IllegalArgumentException(
                    "a " + type.getName() + " refers to no object, as after a restore by an earlier version of amo"
                            + REMEDY,
                    e);
        }
        if (orb.filter(each -> each == own).isEmpty()) {
            throw new IllegalArgumentException(
                    "a " + type.getName() + " belongs to another ORB than the servants" + REMEDY);
        }
        return new KeptReference(
                type.getName().startsWith("org.jacorb.") ? null : type, own.object_to_string(reference));
    }

    /** The reference at this member. Nothing is sent: a call opens its connection. */
    Object reference(Optional<ORB> orb) throws InvalidObjectException {
        if (!IOR.matcher(ior).matches()) {
            throw new InvalidObjectException("a reference in the state is no IOR");
        }
        if (!(orb.map(each -> each.string_to_object(ior)).orElse(null) instanceof ObjectImpl object)) {
            throw new InvalidObjectException("a reference in the state refers to no object");
        }
        if (stub == null) {
            return object;
        }
        try {
            ObjectImpl narrowed =
                    stub.asSubclass(ObjectImpl.class).getConstructor().newInstance();
            narrowed._set_delegate(object._get_delegate());
            return narrowed;
        } catch (ReflectiveOperationException | ClassCastException e) {
            InvalidObjectException invalid = new InvalidObjectException(stub.getName() + " is no stub");
            invalid.initCause(e);
            throw invalid;
        }
    }
}
