package org.amo.observe;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.amo.base.observe.Observed;

/**
 * Writes a picture as the page and as the JSON with which its script goes on. Both hold the same texts, so that the page can be read
 * without a script. Immutable.
 */
final class PageText {
    private static final Pattern HOLE = Pattern.compile("\\{\\{(\\w+)}}");
    private static final String NONE = "–";

    /** Parts of the page that some ports alone have stand between these. */
    private static final String PART = "(?s)<!--%1$s-->.*?<!--/%1$s-->";

    private final Observed observed;
    private final Optional<Trial> trial;
    private final boolean token;
    private final String nonce;
    private final String page;
    private final String row;

    /**
     * A page.
     *
     * @param token whether the port has one
     * @param nonce proves that a POST comes from this page
     */
    PageText(Observed observed, Optional<Trial> trial, boolean token, String nonce) {
        this.observed = observed;
        this.trial = trial;
        this.token = token;
        this.nonce = nonce;
        this.page = template("page.html");
        this.row = template("row.html");
    }

    private String template(String name) {
        String whole = resource(name);
        String ofTrial = trial.isPresent() ? whole : whole.replaceAll(String.format(PART, "trial"), "");
        return token ? ofTrial : ofTrial.replaceAll(String.format(PART, "token"), "");
    }

    /** A file of the page. */
    static String resource(String name) {
        try (InputStream file = PageText.class.getResourceAsStream(name)) {
            if (file == null) {
                throw new IllegalStateException("amo-observe lacks its file " + name);
            }
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @param picture empty for a page without values, to a reader who has not shown the token or before there are any */
    String html(Optional<GroupPicture> picture) {
        Map<String, String> texts = new LinkedHashMap<>();
        texts(picture).forEach((name, text) -> texts.put(name, PageFormat.html(text)));
        texts.put("group", PageFormat.html(observed.group()));
        texts.put("self", PageFormat.html(observed.id()));
        texts.put("rows", rows(picture));
        texts.put("events", events());
        texts.put("nonce", nonce);
        return filled(page, texts);
    }

    private String rows(Optional<GroupPicture> picture) {
        StringBuilder rows = new StringBuilder();
        for (MemberRow each : picture.map(GroupPicture::rows).orElse(List.of())) {
            Map<String, String> texts = new LinkedHashMap<>();
            texts.put("kind", each.kind().word());
            texts.put("nonce", nonce);
            List<String> cells = each.cells();
            for (int i = 0; i < cells.size(); i++) {
                texts.put("cell" + i, PageFormat.html(cells.get(i)));
            }
            rows.append(filled(row, texts));
        }
        return rows.toString();
    }

    private String events() {
        StringBuilder items = new StringBuilder();
        trial.ifPresent(run -> run.verdict().events().forEach(line -> items.append("<li>")
                .append(PageFormat.html(line))
                .append("</li>")));
        return items.toString();
    }

    private static String filled(String template, Map<String, String> texts) {
        return HOLE.matcher(template).replaceAll(hole -> {
            String text = texts.get(hole.group(1));
            if (text == null) {
                throw new IllegalStateException("the page has nothing for " + hole.group());
            }
            return Matcher.quoteReplacement(text);
        });
    }

    /** The texts of the page by the ids of their elements. */
    private Map<String, String> texts(Optional<GroupPicture> picture) {
        Map<String, String> texts = new LinkedHashMap<>();
        texts.put("summary", picture.map(GroupPicture::summary).orElse("No values yet."));
        texts.put(
                "calls",
                picture.map(GroupPicture::callsPerSecond)
                        .filter(rate -> rate.isPresent())
                        .map(rate -> PageFormat.rate(rate.getAsDouble()))
                        .orElse(NONE));
        texts.put(
                "p99",
                picture.map(GroupPicture::replyMicrosP99)
                        .filter(micros -> micros > 0)
                        .map(PageFormat::time)
                        .orElse(NONE));
        texts.put(
                "agreed",
                picture.filter(each -> each.agreed().isPresent())
                        .map(each -> "Equal digests at position "
                                + PageFormat.count(each.agreed().getAsLong()) + ".")
                        .orElse("Digests can be compared once two members are at one position."));
        cache(picture.flatMap(GroupPicture::reference), texts);
        trial.map(Trial::verdict).ifPresent(verdict -> {
            texts.put("twice", PageFormat.count(verdict.executedTwice()));
            texts.put("lost", PageFormat.count(verdict.lost()));
            texts.put("answered", PageFormat.count(verdict.answered()));
            texts.put("failed", PageFormat.count(verdict.failed()));
        });
        return texts;
    }

    private static void cache(Optional<MemberRow> reference, Map<String, String> texts) {
        StatusFields status = reference.flatMap(MemberRow::status).orElseGet(() -> StatusFields.read("{}")
                .orElseThrow());
        long entries = status.number("entries");
        long timeoutOnly = status.number("timeoutOnlyEntries");
        long bySack = status.number("purgedBySack");
        texts.put("entries", PageFormat.count(entries));
        texts.put("timeoutOnly", PageFormat.count(timeoutOnly));
        texts.put("saving", PageFormat.percent(timeoutOnly - entries, timeoutOnly));
        texts.put("bySack", PageFormat.percent(bySack, bySack + status.number("purgedByTimeout")));
        texts.put("sackBytes", PageFormat.percent(status.number("sackBytes"), status.number("orderedBytes")));
        StatusFields kinds = status.object("orderedEntries");
        texts.put("sackEntries", PageFormat.percent(kinds.number("acknowledgements"), kinds.number("total")));
    }

    /** The same texts, and the numbers of the plots. */
    String json(GroupPicture picture) {
        StringBuilder json = new StringBuilder("{\"texts\":{");
        StringJoiner texts = new StringJoiner(",");
        texts(Optional.of(picture))
                .forEach((name, text) -> texts.add(PageFormat.json(name) + ":" + PageFormat.json(text)));
        json.append(texts).append("},\"rows\":[");
        StringJoiner rows = new StringJoiner(",");
        for (MemberRow each : picture.rows()) {
            rows.add("{\"kind\":" + PageFormat.json(each.kind().word()) + ",\"cells\":" + list(each.cells()) + "}");
        }
        json.append(rows).append("],\"plots\":{\"calls\":");
        json.append(picture.callsPerSecond().orElse(0)).append(",\"p99\":").append(picture.replyMicrosP99());
        long entries = picture.reference().map(each -> each.number("entries")).orElse(0L);
        long timeoutOnly = picture.reference()
                .map(each -> each.number("timeoutOnlyEntries"))
                .orElse(0L);
        json.append(",\"entries\":").append(entries).append(",\"timeoutOnly\":").append(timeoutOnly);
        json.append("},\"events\":");
        json.append(list(trial.map(run -> run.verdict().events()).orElse(List.of())));
        return json.append("}\n").toString();
    }

    private static String list(List<String> lines) {
        StringJoiner list = new StringJoiner(",", "[", "]");
        lines.forEach(line -> list.add(PageFormat.json(line)));
        return list.toString();
    }
}
