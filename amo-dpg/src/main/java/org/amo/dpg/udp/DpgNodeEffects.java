package org.amo.dpg.udp;

/** Sends the datagrams of a {@link DpgNode}. They may be lost. No effect may call back into the node. */
public interface DpgNodeEffects {
    /** To all sites of the group; whether this one gets it, too, does not matter. */
    void toGroup(byte[] datagram);

    /** @param index of the sequencer in the settings of the sites */
    void toSequencer(int index, byte[] datagram);
}
