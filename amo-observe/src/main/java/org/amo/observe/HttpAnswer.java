package org.amo.observe;

import java.util.HashMap;
import java.util.Map;

/** An answer of the observation port. */
record HttpAnswer(int code, String type, String text, Map<String, String> headers) {
    HttpAnswer {
        headers = Map.copyOf(headers);
    }

    HttpAnswer(int code, String type, String text) {
        this(code, type, text, Map.of());
    }

    static HttpAnswer line(int code, String text) {
        return new HttpAnswer(code, "text/plain; charset=utf-8", text + "\n");
    }

    HttpAnswer with(String header, String value) {
        Map<String, String> more = new HashMap<>(headers);
        more.put(header, value);
        return new HttpAnswer(code, type, text, more);
    }
}
