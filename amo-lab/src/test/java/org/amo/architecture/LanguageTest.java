package org.amo.architecture;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Counts words that stand for a subject without a name (CONTRIBUTING.md, "Language"), in the pages and in the comments of main code. */
final class LanguageTest {
    /** Of 1,000 words. Quotations of the papers may hold some. */
    private static final double MOST_IN_COMMENTS = 2;

    private static final double MOST_IN_PAGES = 2;

    private static final Pattern WORD = Pattern.compile("[A-Za-z][A-Za-z'’-]*");
    private static final Pattern NAMELESS =
            Pattern.compile("\\b(who|whom|whoever|whose|nobody|what|whatever)\\b", Pattern.CASE_INSENSITIVE);

    private static final Pattern CODE_OF_PAGE = Pattern.compile("(?s)```.*?```|(?m)^ {4}.*$|`[^`\n]*`");
    private static final Pattern COMMENT = Pattern.compile(
            "\"\"\"(?:.|\\R)*?\"\"\"|\"(?:\\\\.|[^\"\\\\\n])*\"|'(?:\\\\.|[^'\\\\\n])*'|(//[^\n]*|/\\*(?s:.*?)\\*/)");
    private static final Pattern TAG = Pattern.compile("\\{@\\w+[^}]*}");

    @Test
    void pagesNameTheirSubjects() throws IOException {
        Counts counts = new Counts();
        List<Path> pages = new ArrayList<>(MainSources.filesOf(MainSources.HOME.resolve("docs"), ".md"));
        pages.add(MainSources.HOME.resolve("README.md"));
        for (Path page : pages) {
            counts.add(page, CODE_OF_PAGE.matcher(Files.readString(page)).replaceAll(" "));
        }
        counts.assertAtMost(MOST_IN_PAGES);
    }

    @Test
    void commentsNameTheirSubjects() throws IOException {
        Counts counts = new Counts();
        for (Path file : MainSources.all()) {
            counts.add(file, comments(Files.readString(file)));
        }
        counts.assertAtMost(MOST_IN_COMMENTS);
    }

    private static String comments(String source) {
        return COMMENT.matcher(source)
                .results()
                .filter(found -> found.group(1) != null)
                .map(found -> TAG.matcher(found.group(1)).replaceAll(" "))
                .collect(Collectors.joining(" "));
    }

    /** Words and nameless subjects, by file. */
    private static final class Counts {
        private final Map<Path, List<String>> nameless = new TreeMap<>();
        private long words;
        private long found;

        void add(Path file, String text) {
            words += WORD.matcher(text).results().count();
            List<String> here =
                    NAMELESS.matcher(text).results().map(MatchResult::group).toList();
            found += here.size();
            if (!here.isEmpty()) {
                nameless.put(MainSources.HOME.relativize(file), here);
            }
        }

        void assertAtMost(double inAThousand) {
            double rate = 1_000.0 * found / words;
            assertTrue(
                    words > 10_000 && rate <= inAThousand,
                    () -> String.format(
                            "%d in %d words, %.1f in 1,000, at most %.1f; name the component, the message or the value: %s",
                            found, words, rate, inAThousand, nameless));
        }
    }
}
