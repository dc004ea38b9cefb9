package org.amo.determinism.check;

import java.util.Arrays;
import java.util.List;

/**
 * Findings that a user accepts.
 *
 * @param text as the user wrote it
 * @param kind empty for all
 * @param place class or class.method; with a * at its end all that begin so; empty for all
 */
record AcceptedFindings(String text, String kind, String place) {
    private static final List<String> KINDS =
            Arrays.stream(SourceKind.values()).map(SourceKind::word).toList();

    /** Reads KIND, CLASS, CLASS.METHOD, or KIND:CLASS.METHOD. */
    static AcceptedFindings parse(String text) {
        int colon = text.indexOf(':');
        boolean kindAlone = colon < 0 && KINDS.contains(text);
        String kind = kindAlone ? text : text.substring(0, Math.max(0, colon));
        boolean unknown = !kind.isEmpty() && !KINDS.contains(kind);
        if (unknown || text.isBlank()) {
            throw new ScanException("'" + kind + "' is no kind of source; write one of " + String.join(", ", KINDS));
        }
        String place = kindAlone ? "" : text.substring(colon + 1);
        return new AcceptedFindings(text, kind, place);
    }

    boolean matches(Finding finding) {
        boolean rightKind = kind.isEmpty() || kind.equals(finding.kind().word());
        String method = finding.type() + "." + finding.method();
        boolean rightPlace = place.endsWith("*")
                ? method.startsWith(place.substring(0, place.length() - 1))
                : place.isEmpty() || place.equals(finding.type()) || place.equals(method);
        return rightKind && rightPlace;
    }
}
