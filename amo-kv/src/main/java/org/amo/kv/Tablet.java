package org.amo.kv;

import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.linearizable.rpclog.KeyRange;

/**
 * A range of keys and its owner.
 *
 * @param owner the id of a server; empty until the ranges are dealt
 * @param heir the id of the server that recovers it, or to which it moves; empty if none does
 * @param epoch counts heirs, their processes, and returns of owners
 * @param moves whether its owner lives and is to hand it over
 * @param copy the folder with the owner's copy of it; empty until the owner serves it no more, and if it does not move
 */
record Tablet(KeyRange range, String owner, String heir, long epoch, boolean moves, String copy) {
    private static final String NO_SERVER = "";
    private static final String NO_COPY = "";

    /** Before the ranges are dealt. */
    static Tablet unowned(KeyRange range) {
        return new Tablet(range, NO_SERVER, NO_SERVER, 0, false, NO_COPY);
    }

    /** The same of another owner, without an heir. */
    Tablet ownedBy(String server) {
        return new Tablet(range, server, NO_SERVER, epoch, false, NO_COPY);
    }

    /** The same with an heir that recovers it from its owner's directory. */
    Tablet inheritedBy(String server) {
        return new Tablet(range, owner, server, epoch + 1, false, NO_COPY);
    }

    /** The same on its way to another server. */
    Tablet movingTo(String server) {
        return new Tablet(range, owner, server, epoch + 1, true, NO_COPY);
    }

    /** The same on its way, and its owner has put a copy into that folder. */
    Tablet copiedTo(String folder) {
        return new Tablet(range, owner, heir, epoch, true, folder);
    }

    /** The same, and claims for it so far are void. A copy is of the former epoch: its owner deletes it, and makes another. */
    Tablet again() {
        return new Tablet(range, owner, heir, epoch + 1, moves, NO_COPY);
    }

    /** Its owner serves it on. */
    Tablet stays() {
        return new Tablet(range, owner, NO_SERVER, epoch + 1, false, NO_COPY);
    }

    boolean hasOwner() {
        return !owner.isEmpty();
    }

    boolean isOwnedBy(String server) {
        return owner.equals(server);
    }

    boolean isInheritedBy(String server) {
        return heir.equals(server);
    }

    boolean hasHeir() {
        return !heir.isEmpty();
    }

    /** Whether its heir can read it. */
    boolean isReadable() {
        return !moves || !copy.isEmpty();
    }

    /** All but the range, which the settings give. */
    void write(WireWriter writer) {
        writer.text(owner);
        writer.text(heir);
        writer.varint(epoch);
        writer.u8(moves ? 1 : 0);
        writer.text(copy);
    }

    /** @param hasMoves false for bytes of a version that moved no tablets */
    static Tablet read(WireReader reader, KeyRange range, boolean hasMoves) {
        return new Tablet(
                range,
                reader.text("owner", CoordinatorState.MAX_TEXT),
                reader.text("heir", CoordinatorState.MAX_TEXT),
                reader.varint("epoch", 0, Long.MAX_VALUE),
                hasMoves && reader.flag("moves"),
                hasMoves ? reader.text("copy", CoordinatorState.MAX_TEXT) : NO_COPY);
    }
}
