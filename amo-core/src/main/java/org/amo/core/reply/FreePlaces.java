package org.amo.core.reply;

import java.util.Arrays;

/** Places of a list to use again, the last given back first. */
final class FreePlaces {
    private int[] places = {};
    private int size;

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    void push(int place) {
        if (size == places.length) {
            places = Arrays.copyOf(places, size + 8 + size / 4);
        }
        places[size++] = place;
    }

    int pop() {
        return places[--size];
    }

    FreePlaces copy() {
        FreePlaces copy = new FreePlaces();
        copy.places = Arrays.copyOf(places, size);
        copy.size = size;
        return copy;
    }
}
