"""A client of a gRPC service with amo's interceptor that only sets metadata, written from docs/wire/grpc.md alone.

Usage: grpc_client.py PORT. Prints a line for each attempt: the status, the outcome, whether it may have run, and the reply.
"""

import os
import sys
import time

import grpc

METHOD = "/amo.test.Counter/Add"


class Client:
    """One client: an id, numbers, and what it knows of the server's time."""

    def __init__(self, channel):
        self.call = channel.unary_unary(
            METHOD, request_serializer=str.encode, response_deserializer=bytes.decode)
        self.id = os.urandom(16).hex()
        self.server = None
        self.time = 0
        self.heard = 0.0
        self.upper = 0

    def learn(self, trailers):
        """Each answer tells the server's id, time and bound."""
        answer = dict(trailers or ())
        if "amo-time" in answer:
            now, upper = (int(part) for part in answer["amo-time"].split(" "))
            self.time, self.heard = now, time.monotonic()
            self.upper = max(self.upper, upper)
        if "amo-server" in answer:
            self.server = answer["amo-server"]
        return answer

    def stamp(self):
        """The server's time, and above its bound."""
        return max(self.upper + 1, self.time + int(1000 * (time.monotonic() - self.heard)))

    def send(self, metadata, request):
        """One attempt."""
        try:
            reply, done = self.call.with_call(request, metadata=metadata, timeout=10)
            code, trailers = "OK", done.trailing_metadata()
        except grpc.RpcError as failure:
            reply, code, trailers = "", failure.code().name, failure.trailing_metadata()
        answer = self.learn(trailers)
        print(code, answer.get("amo-outcome", "-"), answer.get("amo-may-have-run", "-"), reply, flush=True)

    def hello(self):
        """Asks for the server's id and time."""
        self.send((("amo-hello", "1"),), "")

    def attempt(self, number, timestamp, finished, request):
        """An attempt of a call; all attempts of it carry the same values."""
        metadata = [
            ("amo-client", self.id),
            ("amo-number", str(number)),
            ("amo-timestamp", str(timestamp)),
            ("amo-deadline", "10000"),
            ("amo-server", self.server)]
        if finished:
            metadata.append(("amo-finished", finished))
        self.send(metadata, request)


def main():
    """Calls, retries, acknowledges, and breaks the rules."""
    with grpc.insecure_channel("127.0.0.1:" + sys.argv[1]) as channel:
        client = Client(channel)
        client.hello()
        first = client.stamp()
        client.attempt(1, first, None, "p")
        client.attempt(1, first, None, "p")
        second = client.stamp()
        client.attempt(2, second, "1", "q")
        client.attempt(2, second, "1", "another body")
        client.attempt(1, first, None, "p")
        client.attempt(3, client.stamp(), "0,2", "r")
        client.server = "0" * 32
        client.attempt(4, client.stamp(), None, "s")


if __name__ == "__main__":
    main()
