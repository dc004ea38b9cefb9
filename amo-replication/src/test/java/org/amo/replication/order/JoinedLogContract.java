package org.amo.replication.order;

import java.util.List;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;

/** The contract of logs whose members find each other by addresses: each group has a name and ports of its own. */
abstract class JoinedLogContract extends OrderedLogContract {
    String group = "";
    List<Member> members = List.of();

    @Override
    final void newGroup() {
        group = Groups.freshName();
        members = FreePorts.members(3);
    }
}
