package org.amo.replication.service;

import java.util.ArrayList;
import java.util.List;

/** Strings with one hash code, as anybody can make them. */
final class KeysOfOneBucket {
    private KeysOfOneBucket() {}

    static List<String> of(int count) {
        List<String> keys = List.of("");
        while (keys.size() < count) {
            List<String> longer = new ArrayList<>();
            for (String key : keys) {
                longer.add(key + "Aa");
                longer.add(key + "BB");
            }
            keys = longer;
        }
        return keys.subList(0, count);
    }
}
