/** Linearizable RPC over RocksDB: an object and the record of the call that wrote it in one atomic write. */
@SuppressWarnings("requires-automatic") // RocksDB has no module descriptor
module org.amo.linearizable.rocksdb {
    requires static transitive org.jspecify;
    requires transitive org.amo.linearizable;
    requires rocksdbjni;

    // The store, its operations and outcomes.
    exports org.amo.linearizable.rocksdb;
}
