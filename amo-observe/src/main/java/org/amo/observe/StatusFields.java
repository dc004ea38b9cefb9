package org.amo.observe;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The fields of a status, from its JSON: an object of integers, texts, and objects of them. Immutable.
 *
 * <p>It reads no other JSON, and at most {@value #MOST_LETTERS} letters of it: the text may come from another process.
 */
final class StatusFields {
    static final int MOST_LETTERS = 1 << 16;

    private static final int MOST_DEPTH = 4;

    private final Map<String, Object> fields;

    private StatusFields(Map<String, Object> fields) {
        this.fields = fields;
    }

    /** Empty for a text that is no status. */
    static Optional<StatusFields> read(String json) {
        try {
            Reader reader = new Reader(json);
            StatusFields status = reader.object(0);
            return reader.isAtEnd() ? Optional.of(status) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** 0 if there is no such number. */
    long number(String name) {
        return fields.get(name) instanceof Long number ? number : 0;
    }

    /** Empty if there is no such text. */
    String text(String name) {
        return fields.get(name) instanceof String text ? text : "";
    }

    /** Without fields if there is no such object. */
    StatusFields object(String name) {
        return fields.get(name) instanceof StatusFields object ? object : new StatusFields(Map.of());
    }

    boolean has(String name) {
        return fields.containsKey(name);
    }

    /** One pass over the text. */
    private static final class Reader {
        private final String json;
        private int at;

        Reader(String json) {
            this.json = json;
            if (json.length() > MOST_LETTERS) {
                throw malformed();
            }
        }

        boolean isAtEnd() {
            skipBlanks();
            return at == json.length();
        }

        StatusFields object(int depth) {
            if (depth == MOST_DEPTH) {
                throw malformed();
            }
            Map<String, Object> fields = new HashMap<>();
            expect('{');
            if (next() == '}') {
                at++;
                return new StatusFields(fields);
            }
            do {
                String name = string();
                expect(':');
                fields.put(name, value(depth));
            } while (follows(','));
            expect('}');
            return new StatusFields(fields);
        }

        private Object value(int depth) {
            return switch (next()) {
                case '{' -> object(depth + 1);
                case '"' -> string();
                default -> integer();
            };
        }

        private Long integer() {
            int start = at;
            while (at < json.length() && "-0123456789".indexOf(json.charAt(at)) >= 0) {
                at++;
            }
            return Long.valueOf(json.substring(start, at));
        }

        private String string() {
            expect('"');
            StringBuilder text = new StringBuilder();
            for (char c = letter(); c != '"'; c = letter()) {
                text.append(c == '\\' ? escaped() : c);
            }
            return text.toString();
        }

        private char escaped() {
            char c = letter();
            return switch (c) {
                case '"', '\\', '/' -> c;
                case 'n' -> '\n';
                case 't' -> '\t';
                case 'u' -> (char) (hex() << 12 | hex() << 8 | hex() << 4 | hex());
                default -> throw malformed();
            };
        }

        private int hex() {
            int digit = Character.digit(letter(), 16);
            if (digit < 0) {
                throw malformed();
            }
            return digit;
        }

        private char letter() {
            if (at >= json.length()) {
                throw malformed();
            }
            return json.charAt(at++);
        }

        private boolean follows(char c) {
            boolean found = next() == c;
            at += found ? 1 : 0;
            return found;
        }

        private void expect(char c) {
            if (!follows(c)) {
                throw malformed();
            }
        }

        /** The next letter that is no blank, or NUL at the end. */
        private char next() {
            skipBlanks();
            return at < json.length() ? json.charAt(at) : 0;
        }

        private void skipBlanks() {
            while (at < json.length() && " \n\r\t".indexOf(json.charAt(at)) >= 0) {
                at++;
            }
        }

        private IllegalArgumentException malformed() {
            return new IllegalArgumentException("no status at letter " + at);
        }
    }
}
