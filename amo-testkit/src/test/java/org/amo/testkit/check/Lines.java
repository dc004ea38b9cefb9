package org.amo.testkit.check;

import java.util.ArrayList;
import java.util.List;
import org.amo.testkit.history.History;
import org.amo.testkit.history.HistoryFile;

/** Histories written by hand, as files hold them. */
final class Lines {
    private final List<String> lines = new ArrayList<>();

    /** A deposit from one time to another that answers a balance. */
    Lines deposit(String id, String account, long amount, long from, long to, long balance) {
        return begin(id, account, amount, from).ok(id, Long.toString(balance), to);
    }

    Lines begin(String id, String account, long amount, long from) {
        return call(id, "deposit", "[\"" + account + "\"," + amount + "]", from);
    }

    Lines call(String id, String op, String arg, long from) {
        return add("{'type':'invoke','client':'c','id':'" + id + "','op':'" + op + "','key':'bank','arg':" + arg
                + ",'t':" + from + "}");
    }

    Lines ok(String id, String value, long at) {
        return add("{'type':'ok','client':'c','id':'" + id + "','value':" + value + ",'t':" + at + "}");
    }

    Lines fail(String id, long at) {
        return add("{'type':'fail','client':'c','id':'" + id + "','reason':'EXPIRED','t':" + at + "}");
    }

    Lines info(String id, long at) {
        return add("{'type':'info','client':'c','id':'" + id + "','reason':'TIMEOUT','t':" + at + "}");
    }

    Lines exec(String replica, String id, long position, String value) {
        return add("{'type':'exec','replica':'" + replica + "','id':'" + id + "','pos':" + position + ",'value':"
                + value + "}");
    }

    /** The same at replicas a and b. */
    Lines everywhere(String id, long position, String value) {
        return exec("a", id, position, value).exec("b", id, position, value);
    }

    Lines crash(String replica) {
        return add("{'type':'crash','replica':'" + replica + "'}");
    }

    Lines join(String replica, long position) {
        return add("{'type':'join','replica':'" + replica + "','pos':" + position + "}");
    }

    Lines state(String replica, String state) {
        return add("{'type':'state','replica':'" + replica + "','final':" + state + "}");
    }

    Lines add(String line) {
        lines.add(line.replace('\'', '"'));
        return this;
    }

    History history() {
        return HistoryFile.parse(lines);
    }

    List<String> all() {
        return lines;
    }

    CheckReport check() {
        return Checker.check(history(), new AccountsModel());
    }
}
