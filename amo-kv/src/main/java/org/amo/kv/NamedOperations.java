package org.amo.kv;

import java.util.Map;
import java.util.Optional;
import org.amo.kv.KvServer.NamedOperation;
import org.amo.linearizable.rocksdb.Operation;
import org.amo.linearizable.rocksdb.Operation.Change;
import org.amo.linearizable.rocksdb.StoredObject;
import org.amo.linearizable.rpclog.RpcRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The operations of a server that its application brings. Immutable; the store's thread runs them. */
final class NamedOperations {
    /** A status and a version stand before it in the record. */
    static final int MAX_ANSWER = RpcRecord.MAX_RESULT - 11;

    private static final Logger LOG = LoggerFactory.getLogger(NamedOperations.class);

    private final Map<String, NamedOperation> byName;

    NamedOperations(Map<String, NamedOperation> byName) {
        this.byName = Map.copyOf(byName);
    }

    /** Of a request. It ends in a result that is recorded, also if it fails: a call that fails again and again would never end. */
    Operation operation(KvRequest request) {
        if (request.kind() != KvRequest.Kind.NAMED) {
            return request.operation();
        }
        return Optional.ofNullable(byName.get(request.name()))
                .<Operation>map(named -> (object, next) -> run(named, request, object, next))
                .orElse((object, next) -> failed(object));
    }

    private static Change run(NamedOperation named, KvRequest request, Optional<StoredObject> object, long next) {
        try {
            Change change = named.on(request.value(), object);
            checkSize(change);
            long version = change.kind() == Change.Kind.KEEP ? version(object) : next;
            KvResult result = new KvResult(KvResult.Status.DONE, version, change.result());
            return new Change(change.kind(), change.value(), result.encode());
        } catch (RuntimeException | StackOverflowError | AssertionError | LinkageError e) {
            LOG.warn("operation {} failed and wrote nothing: {}", request.name(), e.toString());
            LOG.debug("its exception", e);
            return failed(object);
        }
    }

    private static void checkSize(Change change) {
        if (change.value().length > KvRequest.MAX_VALUE || change.result().length > MAX_ANSWER) {
            throw new IllegalArgumentException("a value has at most " + KvRequest.MAX_VALUE + " bytes and an answer "
                    + MAX_ANSWER + ": value=" + change.value().length + " answer=" + change.result().length);
        }
    }

    private static Change failed(Optional<StoredObject> object) {
        return Change.keep(KvResult.of(KvResult.Status.FAILED, version(object)).encode());
    }

    private static long version(Optional<StoredObject> object) {
        return object.map(StoredObject::version).orElse(0L);
    }
}
