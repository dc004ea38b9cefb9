package org.amo.lab.attack;

import java.util.ArrayList;
import java.util.List;
import org.amo.lab.cluster.MemberProgram;
import org.amo.lab.cluster.ProcessGroup;

/** Members that live for a few seconds. */
final class QuickMembers {
    private QuickMembers() {}

    /** With the first compiler alone: members would keep the second one busy for longer than they live. */
    static MemberProgram.Of of(MemberProgram.Of of) {
        ProcessGroup.Place place = of.place();
        List<String> options = new ArrayList<>(place.options());
        options.add("-XX:TieredStopAtLevel=1");
        return new MemberProgram.Of(
                of.member(),
                of.known(),
                new ProcessGroup.Place(place.host(), place.prefix(), place.data(), options, place.classes()),
                of.settings(),
                of.secret(),
                of.folder());
    }
}
