package org.amo.exon.udp;

import java.nio.ByteBuffer;
import org.amo.exon.udp.NoiseHandshake.Keys;
import org.amo.exon.udp.RecordLedger.Reader;
import org.amo.exon.udp.RecordLedger.RecordName;
import org.amo.exon.udp.SecureFrame.Outside;

/** A session that tells the ledger of each record that it seals or takes. */
class ObservedSession extends SecureSession {
    private static final byte[] NOTHING = {};

    /** Of no record: a run is too short. */
    private static final long NAME_NUMBER = Long.MAX_VALUE;

    private final RecordLedger ledger;
    private final Reader self;
    private final boolean initiator;
    private final NamedKeys named;
    private final long bornMicros;
    private long next;

    /** What tells one key from the others: what it makes of nothing. */
    record KeyName(long high, long low) {
        static KeyName of(AeadKey key) {
            ByteBuffer tag = ByteBuffer.wrap(key.seal(NAME_NUMBER, NOTHING, NOTHING, NOTHING));
            return new KeyName(tag.getLong(), tag.getLong());
        }

        @Override
        public String toString() {
            return Long.toHexString(high);
        }
    }

    /** Keys with their names. */
    record NamedKeys(Keys keys, KeyName out, KeyName in) {
        static NamedKeys of(Keys keys) {
            return new NamedKeys(keys, KeyName.of(keys.out()), KeyName.of(keys.in()));
        }
    }

    ObservedSession(
            RecordLedger ledger,
            Reader self,
            SecureLink link,
            boolean initiator,
            int index,
            int peersIndex,
            NamedKeys named,
            long nowMicros) {
        super(link, initiator, index, peersIndex, named.keys(), nowMicros);
        this.ledger = ledger;
        this.self = self;
        this.initiator = initiator;
        this.named = named;
        this.bornMicros = nowMicros;
        ledger.onAgreed(named.in(), self);
    }

    /** The same keys in a later life: of all else it begins anew. */
    ObservedSession again(Reader later, SecureLink link, long nowMicros) {
        return new ObservedSession(ledger, later, link, initiator, index(), peersIndex(), named, nowMicros);
    }

    KeyName inName() {
        return named.in();
    }

    long bornMicros() {
        return bornMicros;
    }

    @Override
    byte[] seal(int kind, byte[] content) {
        RecordName name = new RecordName(named.out(), next++);
        ledger.onNumber(name, self);
        byte[] record = super.seal(kind, content);
        ledger.onSealed(name, record);
        return record;
    }

    @Override
    boolean take(Outside outside) {
        ledger.onTaken(new RecordName(named.in(), outside.number()), self);
        return super.take(outside);
    }
}
