package org.amo.core.replica;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.amo.base.ClientId;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.sack.FinishedNumbers;

/** A member that operators and monitoring may ask, and no client. */
abstract class MemberWithoutClients implements ReplicatedService {

    /** A status with these fields; the others are 0 or empty, the id is "a". */
    static ReplicaStatus statusWith(Map<String, ?> fields) {
        List<Class<?>> types = new ArrayList<>();
        List<Object> values = new ArrayList<>();
        for (RecordComponent component : ReplicaStatus.class.getRecordComponents()) {
            Class<?> type = component.getType();
            String name = component.getName();
            types.add(type);
            Object empty = type == long.class ? (Object) 0L : type == Map.class ? Map.of() : "";
            Object given = fields.get(name);
            values.add(given != null ? given : name.equals("id") ? "a" : empty);
        }
        try {
            return ReplicaStatus.class
                    .getConstructor(types.toArray(Class<?>[]::new))
                    .newInstance(values.toArray());
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("a status cannot be made", e);
        }
    }

    @Override
    public void submit(Request request, FinishedNumbers finished, AnswerListener listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void submitPlain(
            byte[] body, long fingerprint, boolean oneway, Principal principal, AnswerListener listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void acknowledge(ClientId client, FinishedNumbers finished) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        // Nothing runs.
    }
}
