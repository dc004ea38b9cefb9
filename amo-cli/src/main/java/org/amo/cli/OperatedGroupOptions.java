package org.amo.cli;

import java.util.List;
import org.amo.core.order.Member;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The group that an operator's command is for, and how the command proves itself to it. */
final class OperatedGroupOptions {
    @Option(
            names = "--members",
            required = true,
            paramLabel = "LIST",
            description = "The known members of the group: ID=HOST:ORDERPORT/CLIENTPORT,... ; one is enough.")
    private String members = "";

    @Option(names = "--group", required = true, paramLabel = "NAME", description = "The group's name.")
    private String group = "";

    @Mixin
    final OperatorOptions access = new OperatorOptions();

    /** @throws CliException if the options do not say how to prove the command */
    OperatedGroup group() {
        return new OperatedGroup(group, access);
    }

    /** @throws CliException if the option is no list of members */
    List<Member> members() {
        return OperatedGroup.parse(members);
    }
}
