package org.amo.core.replica;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.Map;
import java.util.TreeMap;

/** Writes a status as one JSON object; its fields are the record's components, in their order, and the numbers of this process. */
final class StatusJson {
    private StatusJson() {}

    /** @param ofProcess further fields */
    static String write(ReplicaStatus status, Map<String, Long> ofProcess) {
        StringBuilder json = new StringBuilder("{");
        for (RecordComponent component : ReplicaStatus.class.getRecordComponents()) {
            json.append(json.length() == 1 ? "" : ",");
            string(json, component.getName());
            json.append(':');
            value(json, read(component, status));
        }
        new TreeMap<>(ofProcess).forEach((name, number) -> {
            json.append(',');
            string(json, name);
            json.append(':').append(number.longValue());
        });
        return json.append('}').toString();
    }

    private static Object read(RecordComponent component, ReplicaStatus status) {
        try {
            return component.getAccessor().invoke(status);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException("a public record lacks its accessor " + component.getName(), e);
        }
    }

    private static void value(StringBuilder json, Object value) {
        if (value instanceof Long number) {
            json.append(number.longValue());
        } else if (value instanceof Map<?, ?> map) {
            Map<String, Object> sorted = new TreeMap<>();
            map.forEach((key, element) -> sorted.put(String.valueOf(key), element));
            String separator = "{";
            for (Map.Entry<String, Object> entry : sorted.entrySet()) {
                json.append(separator);
                string(json, entry.getKey());
                json.append(':');
                value(json, entry.getValue());
                separator = ",";
            }
            json.append(sorted.isEmpty() ? "{}" : "}");
        } else {
            string(json, String.valueOf(value));
        }
    }

    private static void string(StringBuilder json, String text) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                json.append("\\u").append(Character.forDigit(c >> 12, 16));
                json.append(Character.forDigit(c >> 8 & 15, 16));
                json.append(Character.forDigit(c >> 4 & 15, 16));
                json.append(Character.forDigit(c & 15, 16));
            } else {
                json.append(c);
            }
        }
        json.append('"');
    }
}
