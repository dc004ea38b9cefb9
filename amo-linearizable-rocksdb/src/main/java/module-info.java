/** Linearizable RPC over RocksDB: an object and the record of the call that wrote it in one atomic write. */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // RocksDB has no module descriptor
module org.amo.linearizable.rocksdb {
    requires static transitive org.jspecify;
    requires transitive org.amo.linearizable;
    requires transitive org.amo.once;
    requires transitive rocksdbjni;

    // The store, its operations, outcomes and backups; the store of completion records under keys of their callers.
    exports org.amo.linearizable.rocksdb;
}
