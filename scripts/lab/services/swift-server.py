"""A small OpenStack Swift with its S3 API in one process, for tests.

usage: S3_SECRET=... swift-server.py FOLDER PORT     (the key is loupe:test)
"""

import os
import sys

import eventlet

eventlet.monkey_patch()
# What is stored ends with the server: waiting for the disk is pointless.
os.fsync = os.fdatasync = lambda file: None

from eventlet import wsgi  # noqa: E402
from swift.common import utils  # noqa: E402
from swift.common.ring import RingBuilder  # noqa: E402
from swift.common.wsgi import loadapp  # noqa: E402

STORAGE = """
[DEFAULT]
devices = {folder}
swift_dir = {folder}
mount_check = false
[app:main]
use = egg:swift#{kind}
"""

PROXY = """
[DEFAULT]
swift_dir = {folder}
[pipeline:main]
pipeline = cache s3api tempauth proxy-server
[filter:cache]
use = egg:swift#memcache
[filter:s3api]
use = egg:swift#s3api
[filter:tempauth]
use = egg:swift#tempauth
user_loupe_test = {secret} .admin
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
"""


def main(folder, port):
    # Instead of /etc/swift, which does not exist.
    utils.SWIFT_CONF_FILE = os.path.join(folder, "swift.conf")
    utils.HASH_PATH_SUFFIX = b"loupe"
    os.makedirs(os.path.join(folder, "disk"), exist_ok=True)
    for kind in ("account", "container", "object"):
        eventlet.spawn(wsgi.server, *storage(folder, kind), log_output=False)
    proxy = app_of(folder, "proxy", PROXY.format(folder=folder, secret=os.environ["S3_SECRET"]))
    wsgi.server(eventlet.listen(("127.0.0.1", port)), proxy, log_output=False)


def storage(folder, kind):
    """A server of one kind on a free port, alone in its ring."""
    socket = eventlet.listen(("127.0.0.1", 0))
    ring = RingBuilder(2, 1, 0)
    place = {"ip": "127.0.0.1", "port": socket.getsockname()[1], "device": "disk"}
    ring.add_dev({"id": 0, "region": 1, "zone": 1, "weight": 1, **place})
    ring.rebalance()
    ring.get_ring().save(os.path.join(folder, kind + ".ring.gz"))
    return socket, app_of(folder, kind, STORAGE.format(folder=folder, kind=kind))


def app_of(folder, name, text):
    path = os.path.join(folder, name + ".conf")
    with open(path, "w", opener=lambda place, flags: os.open(place, flags, 0o600)) as file:
        file.write(text)
    return loadapp(path, global_conf={})


main(sys.argv[1], int(sys.argv[2]))
