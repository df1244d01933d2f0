"""The studio: a local page on which a problem is typed and its parameters are dragged.

page <- websocket -> session (latest wins) -> workers (processes that can be killed) -> the library
"""
