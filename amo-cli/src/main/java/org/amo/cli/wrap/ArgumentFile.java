package org.amo.cli.wrap;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.amo.cli.CliException;

/** The {@code @file} arguments of the java launcher: words of a command line in a file. */
final class ArgumentFile {
    private static final char NO_QUOTE = 0;

    private ArgumentFile() {}

    static List<String> read(Path file) {
        try {
            return split(Files.readString(file, Charset.defaultCharset()));
        } catch (IOException e) {
            throw CliException.user("cannot read java's argument file " + file + "; correct the word @" + file);
        }
    }

    /** White space separates words, quotes hold them together, # begins a comment, \ escapes within quotes. */
    static List<String> split(String text) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        boolean inWord = false;
        char quote = NO_QUOTE;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (quote != NO_QUOTE) {
                if (c == '\\' && i + 1 < text.length()) {
                    word.append(unescape(text.charAt(++i)));
                } else if (c == quote) {
                    quote = NO_QUOTE;
                } else {
                    word.append(c);
                }
            } else if (c == '"' || c == '\'') {
                quote = c;
                inWord = true;
            } else if (c == '#' && !inWord) {
                i = endOfLine(text, i);
            } else if (Character.isWhitespace(c)) {
                if (inWord) {
                    words.add(word.toString());
                    word.setLength(0);
                    inWord = false;
                }
            } else {
                word.append(c);
                inWord = true;
            }
        }
        if (inWord) {
            words.add(word.toString());
        }
        return words;
    }

    private static int endOfLine(String text, int from) {
        int end = text.indexOf('\n', from);
        return end < 0 ? text.length() : end;
    }

    private static char unescape(char c) {
        return switch (c) {
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'f' -> '\f';
            default -> c;
        };
    }
}
