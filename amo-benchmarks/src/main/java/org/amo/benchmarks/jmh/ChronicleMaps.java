package org.amo.benchmarks.jmh;

import java.util.List;
import net.openhft.chronicle.map.ChronicleMap;
import org.amo.core.request.ClientId;
import org.amo.replication.store.ReplyStores;

/** Chronicle Map as a reply store outside the heap, of constant sizes, its best case. */
public final class ChronicleMaps {
    /** What its code needs of the virtual machine, on JDK 17 and 25. */
    public static final List<String> JVM_FLAGS = ReplyStores.jvmOptions();

    private ChronicleMaps() {}

    /** A map for so many entries with keys of 24 bytes. */
    public static ChronicleMap<byte[], byte[]> inMemory(long entries, int valueBytes) {
        return ChronicleMap.of(byte[].class, byte[].class)
                .constantKeySizeBySample(new byte[24])
                .constantValueSizeBySample(new byte[valueBytes])
                .entries(entries)
                .create();
    }

    /** Client and number as a key. */
    public static byte[] key(ClientId client, long number) {
        return StoreWork.key(client, number);
    }
}
