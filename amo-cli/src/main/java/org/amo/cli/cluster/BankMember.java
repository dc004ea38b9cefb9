package org.amo.cli.cluster;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.amo.cli.wrap.ServerWrap;
import org.amo.core.order.Member;

/** The bank's server, as it is, under {@code amo wrap server}. */
public final class BankMember implements MemberProgram {
    private final Member member;
    private final ServerWrap wrap;
    private final Path reference;
    private final Group.Place place;

    public BankMember(Of of) {
        member = of.member();
        place = of.place();
        reference = of.folder().resolve(member.id() + ".ior");
        wrap = new ServerWrap(
                Group.GROUP,
                member.id(),
                of.known(),
                place.data(),
                of.settings().order(),
                of.settings().log(),
                Optional.empty(),
                Optional.of(of.secret()),
                Optional.empty());
    }

    @Override
    public List<String> words(Optional<Path> history) {
        ServerWrap life = history.map(wrap::withHistory).orElse(wrap);
        return life.apply(Programs.bankServer(reference, place.options(), place.classes()))
                .words();
    }

    @Override
    public Optional<Status> ask() {
        return Status.ask(member);
    }

    @Override
    public boolean isReady() {
        return Files.exists(reference);
    }
}
