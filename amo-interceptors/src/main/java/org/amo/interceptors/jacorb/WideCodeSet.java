package org.amo.interceptors.jacorb;

import org.jacorb.orb.CodeSet;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.MARSHAL;

/**
 * A code set for wchar that compares the claimed length of a wide string with the received bytes. By itself, JacORB
 * allocates the claim first, and one request of 100 bytes ends each member that runs it. No state.
 */
final class WideCodeSet extends CodeSet {
    private final CodeSet real;
    private final int end;

    /** @param end of the bytes that are read */
    WideCodeSet(CodeSet real, int end) {
        super(real.getId(), real.getName());
        this.real = real;
        this.end = end;
    }

    @Override
    public char read_wchar(InputBuffer in, int giopMinor, boolean littleEndian) {
        return real.read_wchar(in, giopMinor, littleEndian);
    }

    @Override
    public String read_wstring(InputBuffer in, int length, int giopMinor, boolean littleEndian) {
        // Bytes in GIOP 1.2, characters before; at least one byte each.
        if (length < 0 || length > end - in.get_pos()) {
            throw new MARSHAL(
                    "a wide string claims " + length + " and " + (end - in.get_pos()) + " bytes are left",
                    0,
                    CompletionStatus.COMPLETED_NO);
        }
        return real.read_wstring(in, length, giopMinor, littleEndian);
    }
}
