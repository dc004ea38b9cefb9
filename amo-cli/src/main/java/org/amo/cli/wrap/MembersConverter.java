package org.amo.cli.wrap;

import java.util.List;
import org.amo.core.order.Member;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code --members}. */
final class MembersConverter implements ITypeConverter<MembersConverter.Members> {

    /** A list of its own type, or picocli would take the option for one that is given several times. */
    record Members(List<Member> list) {}

    @Override
    public Members convert(String text) {
        try {
            return new Members(Member.parseList(text));
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(String.valueOf(e.getMessage()));
        }
    }
}
