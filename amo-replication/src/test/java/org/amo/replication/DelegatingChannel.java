package org.amo.replication;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/** A file of this machine; subclasses let it fail. */
public class DelegatingChannel extends FileChannel {
    private final FileChannel real;

    public DelegatingChannel(FileChannel real) {
        this.real = real;
    }

    @Override
    public int write(ByteBuffer from, long at) throws IOException {
        return real.write(from, at);
    }

    @Override
    public void force(boolean metadata) throws IOException {
        real.force(metadata);
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        return real.read(into);
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) throws IOException {
        return real.read(into, offset, length);
    }

    @Override
    public int read(ByteBuffer into, long at) throws IOException {
        return real.read(into, at);
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        return real.write(from);
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) throws IOException {
        return real.write(from, offset, length);
    }

    @Override
    public long position() throws IOException {
        return real.position();
    }

    @Override
    public FileChannel position(long to) throws IOException {
        real.position(to);
        return this;
    }

    @Override
    public long size() throws IOException {
        return real.size();
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
        real.truncate(size);
        return this;
    }

    @Override
    public long transferTo(long at, long count, WritableByteChannel to) throws IOException {
        return real.transferTo(at, count, to);
    }

    @Override
    public long transferFrom(ReadableByteChannel from, long at, long count) throws IOException {
        return real.transferFrom(from, at, count);
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long at, long size) throws IOException {
        return real.map(mode, at, size);
    }

    @Override
    public FileLock lock(long at, long size, boolean shared) throws IOException {
        return real.lock(at, size, shared);
    }

    @Override
    public FileLock tryLock(long at, long size, boolean shared) throws IOException {
        return real.tryLock(at, size, shared);
    }

    @Override
    protected void implCloseChannel() throws IOException {
        real.close();
    }
}
