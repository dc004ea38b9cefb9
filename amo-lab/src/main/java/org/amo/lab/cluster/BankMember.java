package org.amo.lab.cluster;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.amo.cli.wrap.ServerWrap;
import org.amo.core.order.Member;

/** The bank's server, as it is or in a program of the caller's, under {@code amo wrap server}. */
final class BankMember implements MemberProgram {
    private final Class<?> main;
    private final Member member;
    private final ServerWrap wrap;
    private final Path reference;
    private final ProcessGroup.Place place;

    /** @param main takes the file for the bank's reference; see {@link MemberProgram#bank} */
    BankMember(Of of, Class<?> main) {
        this.main = main;
        member = of.member();
        place = of.place();
        reference = of.folder().resolve(member.id() + ".ior");
        wrap = new ServerWrap(
                ProcessGroup.GROUP,
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
        return life.applyWithAgent(Programs.bankServer(main, reference, place.options(), place.classes()))
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
