package org.amo.jdbc.servlet;

/** The value of an {@code Idempotency-Key} header: a string of RFC 8941, or the bare text that many clients send. */
final class KeyHeader {
    private KeyHeader() {}

    /** @throws IllegalArgumentException in one line, if it is neither */
    static String parse(String value) {
        String text = value.strip();
        if (!text.startsWith("\"")) {
            return text;
        }
        StringBuilder key = new StringBuilder();
        for (int i = 1; i < text.length(); i++) {
            char each = text.charAt(i);
            if (each == '"') {
                requireParameters(text.substring(i + 1));
                return key.toString();
            }
            if (each == '\\') {
                i++;
                if (i == text.length() || (text.charAt(i) != '"' && text.charAt(i) != '\\')) {
                    break;
                }
                each = text.charAt(i);
            }
            key.append(each);
        }
        throw malformed();
    }

    private static void requireParameters(String rest) {
        if (!rest.isEmpty() && !rest.stripLeading().startsWith(";")) {
            throw malformed();
        }
    }

    private static IllegalArgumentException malformed() {
        return new IllegalArgumentException(
                "the header Idempotency-Key is no string: send for instance \"8e03978e-40d5-43dd-bc93-6894a57f9324\"");
    }
}
